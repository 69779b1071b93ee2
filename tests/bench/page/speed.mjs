import { until } from '../../browser/harness/until.mjs';
import { lines, notice, tabs } from '../../browser/page/scope.mjs';
import { asSeconds, median } from '../table.mjs';
import { BASELINE, drop, idle, OURS, opened } from './open.mjs';

/** The first picture may take this part of what parsing alone takes a page written by hand. */
const OF_BASELINE = 0.8;

/** Long enough for a busy machine, ms. */
const PATIENCE = 120_000;

/** @typedef {{ seconds: number, steps: number }} Timed */

/**
 * From the drop of a log to its first complete picture, and the baseline in turn with it, each in a fresh page of one
 * browser.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} log
 * @param {{ size: string, repetitions: number }} options
 * @returns {Promise<import('../table.mjs').Row[]>}
 */
export async function speed(browser, log, { size, repetitions }) {
  /** @type {Timed[]} */
  const ours = [];
  /** @type {Timed[]} */
  const baseline = [];
  // One of each beforehand, not counted: the files come from the disk then, and the browser has not run before.
  for (let at = -1; at < repetitions; at += 1) {
    const turn = [
      await opened(browser, OURS, (page) => pictured(page, log)),
      await opened(browser, BASELINE, (page) => parsed(page, log)),
    ];
    const [our, base] = /** @type {[Timed, Timed]} */ (turn);
    if (our.steps !== base.steps)
      throw new Error(`the page shows ${our.steps} steps, the log has ${base.steps}`);
    if (at < 0) continue;
    ours.push(our);
    baseline.push(base);
  }
  const [our, base] = [ours, baseline].map((all) => median(all.map(({ seconds }) => seconds)));
  const ratio = Number(our) / Number(base);
  return [
    {
      what: `drop to picture ${size}`,
      ours: asSeconds(Number(our)),
      against: `JSON.parse ${asSeconds(Number(base))}`,
      ratio: `${ratio.toFixed(2)} × the time`,
      target: `≤ ${OF_BASELINE} ×`,
      met: ratio <= OF_BASELINE,
    },
  ];
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} log
 * @returns {Promise<Timed>}
 */
async function pictured(page, log) {
  await drop(page, OURS, log);
  await idle(page);
  const milliseconds = await page.evaluate(() => {
    const { stepscope, droppedAt } = /** @type {any} */ (window);
    return stepscope.timings.reading.picture - droppedAt;
  });
  const fault = await notice(page);
  if (fault !== null) throw new Error(`the page says: ${fault}`);
  if ((await lines(page)).verdict === '') throw new Error('the page shows no verdict');
  return { seconds: milliseconds / 1000, steps: (await tabs(page)).Steps ?? 0 };
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} log
 * @returns {Promise<Timed>}
 */
async function parsed(page, log) {
  await drop(page, BASELINE, log);
  return until(
    page,
    () => {
      const { baseline, droppedAt } = /** @type {any} */ (window);
      return baseline && { seconds: (baseline.finished - droppedAt) / 1000, steps: baseline.steps };
    },
    undefined,
    { timeout: PATIENCE },
  );
}
