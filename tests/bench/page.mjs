import { buildPage, buildWasm } from '../../scripts/build.mjs';
import { chromium } from '../../scripts/machine/chromium.mjs';
import { nodeModules } from '../../scripts/machine/node-modules.mjs';
import { say } from '../../scripts/machine/run.mjs';
import { rust } from '../../scripts/machine/rust.mjs';
import { launch } from '../browser/harness/launch.mjs';
import { epochOf, LARGE, SMALL } from './epochs.mjs';
import { frames } from './page/frames.mjs';
import { memory } from './page/memory.mjs';
import { speed } from './page/speed.mjs';

/**
 * The built page in Chromium: how soon a dropped log is seen, what it takes of memory, how it moves.
 *
 * @param {{ repetitions: number }} options
 * @returns {Promise<import('./table.mjs').Row[]>}
 */
export async function page({ repetitions }) {
  await nodeModules();
  await rust();
  await chromium();
  await buildWasm();
  await buildPage();
  const small = { log: await epochOf(SMALL), size: `${SMALL} MiB` };
  const large = { log: await epochOf(LARGE), size: `${LARGE} MiB` };
  const rows = [];
  say(`dropping ${small.size} on the page and on its baseline, ${repetitions} times each`);
  rows.push(...(await inBrowser((browser) => speed(browser, small.log, { ...small, repetitions }))));
  say(`zooming and panning over ${large.size}`);
  rows.push(...(await inBrowser((browser) => frames(browser, large.log, large))));
  say(`watching the memory of the page with ${large.size}`);
  rows.push(...(await inBrowser((browser) => memory(browser, large.log, large))));
  return rows;
}

/**
 * A browser of its own for each measurement: none inherits what another left behind.
 *
 * @template T
 * @param {(browser: import('playwright-core').Browser) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function inBrowser(use) {
  const browser = await launch();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}
