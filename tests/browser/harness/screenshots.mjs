import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/machine/root.mjs';

/** Every look the page must have. */
export const LOOKS = /** @type {const} */ ([
  { look: 'wide-light', width: 1280, height: 720, colorScheme: 'light' },
  { look: 'wide-dark', width: 1280, height: 720, colorScheme: 'dark' },
  { look: 'narrow-light', width: 390, height: 844, colorScheme: 'light' },
  { look: 'narrow-dark', width: 390, height: 844, colorScheme: 'dark' },
]);

/**
 * Gives the page each look in turn, lets `each` check it, and keeps a picture of it in tests/screenshots.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} name of what is shown
 * @param {(look: (typeof LOOKS)[number]) => Promise<unknown>} [each] called before the picture is taken
 */
export async function inEveryLook(page, name, each = async () => {}) {
  const folder = join(root, 'tests', 'screenshots');
  mkdirSync(folder, { recursive: true });
  for (const look of LOOKS) {
    await page.setViewportSize({ width: look.width, height: look.height });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await each(look);
    await page.screenshot({ path: join(folder, `${name}.${look.look}.png`) });
  }
}
