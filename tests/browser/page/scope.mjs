/** What the page shows, as a user would read it off. */
import { until } from '../harness/until.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Waits until nothing is being read, asked or drawn. @param {Page} page */
export async function idle(page) {
  await until(page, () => 'stepscope' in window);
  await page.evaluate(() => /** @type {any} */ (window).stepscope.idle());
}

/** Text with its white space as a person sees it. @param {string} text */
const plain = (text) => text.replace(/\s+/g, ' ').trim();

/** The trust and the verdict line. @param {Page} page */
export async function lines(page) {
  const [trust = '', verdict = ''] = (await page.locator('scope-lines dd:not(.sign)').allTextContents()).map(
    plain,
  );
  return { trust, verdict };
}

/** What the header says is shown. @param {Page} page */
export async function crumbs(page) {
  return plain((await page.locator('scope-header nav').textContent()) ?? '');
}

/** The fault on the page, or null. @param {Page} page */
export async function notice(page) {
  const found = page.locator('scope-notice p');
  return (await found.count()) > 0 ? plain((await found.first().textContent()) ?? '') : null;
}

/**
 * Titles of the tabs with their counts.
 *
 * @param {Page} page
 * @returns {Promise<Record<string, number | null>>}
 */
export async function tabs(page) {
  const texts = (await page.locator('scope-panel [role=tab]').allTextContents()).map(plain);
  return Object.fromEntries(
    texts.map((text) => {
      const [, title = text, count] = /^(\D+?) ?([\d,]+)?$/.exec(text) ?? [];
      return [title, count === undefined ? null : Number(count.replaceAll(',', ''))];
    }),
  );
}

/** Rows in sight of the table shown, each as its cells. @param {Page} page */
export function rows(page) {
  return page.evaluate(() => {
    /** @param {ParentNode | null | undefined} root @param {string} selector */
    const inside = (root, selector) => root?.querySelector(selector)?.shadowRoot;
    const grid = inside(inside(inside(document, 'step-scope'), 'scope-panel'), 'scope-rows');
    return [...(grid?.querySelectorAll('.row') ?? [])]
      .sort((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
      .map((row) => [...row.children].map((cell) => (cell.textContent ?? '').replace(/\s+/g, ' ').trim()));
  });
}

/** @param {Page} page @param {'stalls' | 'steps' | 'requests' | 'problems' | 'config'} tab */
export async function showTab(page, tab) {
  await page.locator(`#tab-${tab}`).click();
  await idle(page);
}

/** The text of the details beside the table. @param {Page} page */
export async function details(page) {
  return plain((await page.locator('scope-details .inside').textContent()) ?? '');
}

/** Pixels of a track that are not its background, by colour. @param {Page} page @param {string} track */
export function colours(page, track) {
  return page.evaluate((track) => {
    const timeline = document
      .querySelector('step-scope')
      ?.shadowRoot?.querySelector('scope-timeline')?.shadowRoot;
    const canvas = /** @type {HTMLCanvasElement} */ (timeline?.querySelector(`canvas[data-name=${track}]`));
    const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
      0,
      0,
      canvas.width,
      canvas.height,
    );
    /** @type {Record<string, number>} */
    const seen = {};
    for (let at = 0; at < data.length; at += 4) {
      const colour = `#${[0, 1, 2].map((i) => (data[at + i] ?? 0).toString(16).padStart(2, '0')).join('')}`;
      seen[colour] = (seen[colour] ?? 0) + 1;
    }
    return seen;
  }, track);
}
