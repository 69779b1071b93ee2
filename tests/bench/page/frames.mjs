import { membershipsOf } from '../epochs.mjs';
import { asMilliseconds, median, percentile } from '../table.mjs';
import { drop, idle, OURS, opened } from './open.mjs';
import { traced } from './trace.mjs';

/** Milliseconds. */
const LONGEST_TASK = 50;
const MEDIAN = 8;
const PERCENTILE_95 = 16;

/** What makes the figures worth something: a picture of fewer requests asks less. */
const LEAST_MEMBERSHIPS = 500_000;
/** Drags and wheel turns come as a hand and a screen make them, ms. */
const BEAT = 12;
/** How far in, in notches of the wheel, and pixels a beat of the drags there. */
const JOURNEY = [
  { notches: 10, drag: -9 },
  { notches: 20, drag: 9 },
  { notches: 30, drag: -9 },
];
const DRAG_BEATS = 30;

/**
 * How long reading holds the main thread, and then what zooming and panning cost, over all of a log.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} log
 * @param {{ size: string }} options
 * @returns {Promise<import('../table.mjs').Row[]>}
 */
export function frames(browser, log, { size }) {
  const memberships = membershipsOf(log);
  if (memberships < LEAST_MEMBERSHIPS) throw new Error(`the log has only ${memberships} memberships`);
  return opened(browser, OURS, async (page) => {
    const reading = await traced(page, async () => {
      await drop(page, OURS, log);
      await idle(page);
    });
    await markQuestions(page);
    const moving = await traced(page, async () => {
      await travel(page);
      await idle(page);
    });
    const over = `over ${memberships.toLocaleString('en')} memberships`;
    const longest = reading.mainTasks.reduce((most, task) => (task.processor > most.processor ? task : most));
    const drawn = moving.each('FireAnimationFrame');
    return [
      {
        what: `longest task of the main thread, drop to picture ${size}`,
        ours: asMilliseconds(longest.processor),
        against: `on the clock ${asMilliseconds(longest.wall)}`,
        ratio: '',
        target: `≤ ${LONGEST_TASK} ms`,
        met: longest.processor <= LONGEST_TASK,
      },
      ...['tracks', 'lanes'].flatMap((method) =>
        spread(`session answers ${method}, zoom and pan ${over}`, moving.tasksAround(`asked ${method}`)),
      ),
      ...spread(`main thread draws, ${drawn.length} frames ${over}`, drawn),
      {
        what: 'the same with events, layout and painting',
        ours: asMilliseconds(median(moving.tasksAround('FireAnimationFrame').map((task) => task.processor))),
        against: '',
        ratio: '',
        target: '',
        met: null,
      },
    ];
  });
}

/** Wheel in, drag, wheel out, at each depth. @param {import('playwright-core').Page} page */
async function travel(page) {
  const box = await page.locator('scope-timeline canvas[data-name=members]').boundingBox();
  if (box === null) throw new Error('the page shows no members');
  const [x, y] = [box.x + box.width * 0.4, box.y + box.height / 2];
  const beat = () => page.waitForTimeout(BEAT);
  await page.mouse.move(x, y);
  for (const { notches, drag } of JOURNEY) {
    const turn = async (/** @type {number} */ by) => {
      for (let notch = 0; notch < notches; notch += 1) {
        await page.mouse.wheel(0, by);
        await beat();
      }
    };
    await turn(-100);
    for (let pass = 0; pass < 2; pass += 1) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (let step = 1; step <= DRAG_BEATS; step += 1) {
        await page.mouse.move(x + drag * step, y);
        await beat();
      }
      await page.mouse.up();
    }
    await turn(100);
  }
}

/** Notes in the trace when each question reaches the session. @param {import('playwright-core').Page} page */
async function markQuestions(page) {
  await Promise.all(
    page.workers().map((worker) =>
      worker.evaluate(() => {
        const mark = (/** @type {MessageEvent} */ { data }) => performance.mark(`asked ${data.method}`);
        // Before the worker's own listener: the mark then lies in the task that answers.
        if (self.name === 'session') addEventListener('message', mark, { capture: true });
      }),
    ),
  );
}

/**
 * @param {string} what
 * @param {import('./trace.mjs').Took[]} all
 * @returns {import('../table.mjs').Row[]}
 */
function spread(what, all) {
  const figure = (/** @type {(values: number[]) => number} */ of) => ({
    processor: of(all.map(({ processor }) => processor)),
    wall: of(all.map(({ wall }) => wall)),
  });
  const row = (
    /** @type {string} */ name,
    /** @type {import('./trace.mjs').Took} */ took,
    /** @type {number} */ most,
  ) => ({
    what: name,
    ours: asMilliseconds(took.processor),
    against: `on the clock ${asMilliseconds(took.wall)}`,
    ratio: '',
    target: `≤ ${most} ms`,
    met: took.processor <= most,
  });
  if (all.length === 0) throw new Error(`nothing was measured of: ${what}`);
  return [
    row(what, figure(median), MEDIAN),
    row(
      '    95th percentile',
      figure((values) => percentile(values, 95)),
      PERCENTILE_95,
    ),
  ];
}
