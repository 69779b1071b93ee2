/**
 * Asks the page again and again until it says something truthy, and returns that. Playwright's own `waitForFunction`
 * evaluates a string inside the page at every try, which the page's policy forbids.
 *
 * @template T, A
 * @param {import('playwright-core').Page} page
 * @param {(argument: A) => T | Promise<T>} ask runs in the page
 * @param {A} [argument]
 * @param {{ timeout?: number }} [options] ms
 * @returns {Promise<T>}
 */
export async function until(page, ask, argument, { timeout = 15_000 } = {}) {
  const end = performance.now() + timeout;
  for (;;) {
    const answer = await page.evaluate(/** @type {any} */ (ask), argument);
    if (answer) return /** @type {T} */ (answer);
    if (performance.now() > end) throw new Error(`not so within ${timeout} ms: ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
