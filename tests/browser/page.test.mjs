/** The page loads, with nothing but its own files, wherever it is hosted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './harness/accessibility.mjs';
import { inEveryLook } from './harness/screenshots.mjs';
import { withPage } from './harness/with-page.mjs';

for (const [host, options] of /** @type {const} */ ([
  ['at the root of a host', {}],
  ['under a path', { under: '/tools/stepscope/' }],
  ['on a host that sends no headers', { headers: false }],
])) {
  test(`loads ${host}`, async () => {
    await withPage(options, async ({ page, watch, url }) => {
      await page.waitForLoadState('networkidle');
      assert.match(await page.title(), /Stepscope/);
      assert.ok(
        watch.requests.some((request) => request.endsWith('.wasm')),
        'the page loads its wasm',
      );
      for (const request of watch.requests)
        assert.ok(request.startsWith(url) || !request.startsWith('http'), request);
    });
  });
}

test('what is first seen is accessible, in every look', async () => {
  await withPage({}, async ({ page }) => {
    await inEveryLook(page, 'first', () => assertAccessible(page));
  });
});
