import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/machine/root.mjs';
import { servePage } from '../../../scripts/serve/page-server.mjs';
import { browser } from './chromium.mjs';
import { Watch } from './watch.mjs';

/**
 * @typedef {object} Opened
 * @property {import('playwright-core').Page} page already at the server's page
 * @property {string} url of the page, with a slash at its end
 * @property {Watch} watch what the page asked for and complained of
 */

/**
 * @typedef {object} Options
 * @property {string} [folder] the built page; web/dist when not given
 * @property {string} [under] path it is served under, with a slash at both ends
 * @property {boolean} [headers] false for a host without security headers
 * @property {string} [open] what is opened, relative to the page: `#sample`, `embed.html`
 * @property {import('playwright-core').BrowserContextOptions} [context] viewport, colour scheme and the like
 * @property {(page: import('playwright-core').Page) => Promise<unknown>} [before] to do before the page is opened
 * @property {boolean} [clean] false when errors or requests off the origin are what the test is about
 */

/**
 * Serves the built page, opens it in a fresh profile, hands it to `use` and closes all of it. Fails when the page had an
 * error or asked another origin, whatever else the test looks at.
 *
 * @template T
 * @param {Options} options
 * @param {(opened: Opened) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withPage(options, use) {
  const { folder = join(root, 'web', 'dist'), under = '/', headers = true, open = '' } = options;
  if (!existsSync(join(folder, 'index.html')))
    throw new Error(`No page in ${folder}; build it: npm run build`);
  const server = await servePage({ folder, under, headers });
  const context = await (await browser()).newContext({
    viewport: { width: 1280, height: 720 },
    ...options.context,
  });
  try {
    const page = await context.newPage();
    const watch = new Watch(page, new URL(server.url).origin);
    await options.before?.(page);
    await page.goto(server.url + open);
    const result = await use({ page, url: server.url, watch });
    if (options.clean !== false) {
      await watch.settle();
      watch.assertClean();
    }
    return result;
  } finally {
    await context.close();
    await server.close();
  }
}
