import { join } from 'node:path';
import { root } from '../../../scripts/machine/root.mjs';
import { servePage } from '../../../scripts/serve/page-server.mjs';
import { dropFolder } from '../../browser/harness/ways-in.mjs';

/** Workers start and wasm compiles behind a page that looks finished; nobody drops a folder sooner, ms. */
const WARM = 1500;

export const OURS = { folder: join(root, 'web', 'dist'), dropOn: 'step-scope' };
export const BASELINE = { folder: join(root, 'tests', 'bench', 'page', 'baseline'), dropOn: '#drop' };

/** @typedef {typeof OURS} Which */

/**
 * Serves a page, opens it in a fresh profile and hands it to `use` when it is warm.
 *
 * @template T
 * @param {import('playwright-core').Browser} browser
 * @param {Which} which
 * @param {(page: import('playwright-core').Page) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function opened(browser, which, use) {
  const server = await servePage({ folder: which.folder });
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const wrong = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('crash', () => wrong.push('the page crashed'));
    await page.goto(server.url);
    await page.waitForTimeout(WARM);
    const result = await use(page);
    if (wrong.length > 0) throw new Error(`the page failed: ${wrong.join('; ')}`);
    return result;
  } finally {
    await context.close();
    await server.close();
  }
}

/**
 * Drops a folder; the page keeps when that was as `window.droppedAt`.
 *
 * @param {import('playwright-core').Page} page
 * @param {Which} which
 * @param {string} log
 */
export async function drop(page, which, log) {
  await page.evaluate(() => {
    const note = () => {
      /** @type {any} */ (window).droppedAt = performance.now();
    };
    addEventListener('drop', note, { capture: true, once: true });
  });
  await dropFolder(page, which.dropOn, log);
}

/** Waits until nothing is read, asked or drawn any more. @param {import('playwright-core').Page} page */
export async function idle(page) {
  await page.evaluate(() => /** @type {any} */ (window).stepscope.idle());
}
