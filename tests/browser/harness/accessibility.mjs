import assert from 'node:assert/strict';
import axe from 'axe-core';

/**
 * Fails with each rule of WCAG 2.2 A and AA, and each best practice of axe's, that the page breaks and where.
 *
 * @param {import('playwright-core').Page} page
 * @param {{ rules?: import('axe-core').RuleObject }} [options]
 */
export async function assertAccessible(page, { rules = {} } = {}) {
  // As text through the debugger: a script tag would need a hole in the page's policy.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (rules) =>
      /** @type {{ axe: typeof import('axe-core') }} */ (/** @type {unknown} */ (window)).axe.run({ rules }),
    rules,
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
  assert.deepEqual(found, [], 'the page breaks rules of accessibility');
}
