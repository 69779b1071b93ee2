import { rendererMemory } from '../../browser/harness/memory.mjs';
import { bytesOf } from '../epochs.mjs';
import { asMib } from '../table.mjs';
import { drop, idle, OURS, opened } from './open.mjs';

/** Memory over the idle page's, as a part of the log's bytes. */
const PEAK = 1.0;
const SETTLED = 0.3;

/** Between two looks, ms. */
const EVERY = 50;
/** The browser gives freed memory back in its own time: its reclaimer comes round every few seconds, ms. */
const TO_SETTLE = 30_000;

/**
 * What a log takes of memory: the most while it is read and drawn, and what it keeps. Resident memory of all renderer
 * processes, of which the page and its workers are one.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} log
 * @param {{ size: string }} options
 * @returns {Promise<import('../table.mjs').Row[]>}
 */
export async function memory(browser, log, { size }) {
  const bytes = bytesOf(log);
  const { before, peak, settled } = await opened(browser, OURS, async (page) => {
    const before = await rested(browser, page);
    const watching = watch(browser);
    await drop(page, OURS, log);
    await idle(page);
    const peak = await watching();
    return { before, peak, settled: await rested(browser, page) };
  });
  const row = (/** @type {string} */ what, /** @type {number} */ over, /** @type {number} */ most) => ({
    what,
    ours: asMib(over),
    against: `over ${asMib(before)} idle`,
    ratio: `${(over / bytes).toFixed(2)} × the log`,
    target: `≤ ${most} ×`,
    met: over / bytes <= most,
  });
  return [
    row(`peak memory of the page ${size}`, peak - before, PEAK),
    row(`settled memory of the page ${size}`, settled - before, SETTLED),
  ];
}

/** @param {import('playwright-core').Browser} browser */
async function resident(browser) {
  return (await rendererMemory(browser)).reduce((sum, { resident }) => sum + resident, 0);
}

/**
 * Bytes once garbage is collected and given back.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').Page} page
 */
async function rested(browser, page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.detach();
  await page.waitForTimeout(TO_SETTLE);
  return resident(browser);
}

/**
 * Looks again and again until the returned function is called, which gives the most there was.
 *
 * @param {import('playwright-core').Browser} browser
 * @returns {() => Promise<number>}
 */
function watch(browser) {
  let most = 0;
  let watched = true;
  const looking = (async () => {
    while (watched) {
      most = Math.max(most, await resident(browser));
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  })();
  return async () => {
    watched = false;
    await looking;
    return most;
  };
}
