/** The key of an epoch and the log itself stay where they are. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { epochFolder } from './harness/logs.mjs';
import { dropFolder } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';
import { idle, showTab } from './page/scope.mjs';

const folder = epochFolder('stalls');
const keyPath =
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('/key')) ?? '';
const key = readFileSync(join(folder, keyPath));
/** The key in every spelling that a page could leave it in. */
const spellings = [
  key.toString('hex'),
  key.toString('base64'),
  key.toString('base64url'),
  key.toString('latin1'),
  [...key].join(','),
];

test('the key is in no storage, no document, no address and no request', async () => {
  assert.equal(key.length, 32);
  await withPage({}, async ({ page, watch }) => {
    /** @type {string[]} */
    const sent = [];
    page.on('request', (request) =>
      sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
    );
    await dropFolder(page, 'scope-ways .zone', folder);
    await idle(page);
    for (const tab of /** @type {const} */ (['stalls', 'steps', 'requests', 'problems', 'config'])) {
      await showTab(page, tab);
      const text = await page.evaluate(async () => {
        /** @param {ParentNode} root @returns {string} */
        const all = (root) =>
          [...root.querySelectorAll('*')]
            .map((element) => {
              const attributes = [...element.attributes].map(({ value }) => value).join(' ');
              const own = element.children.length === 0 ? element.textContent : '';
              return `${attributes} ${own} ${element.shadowRoot ? all(element.shadowRoot) : ''}`;
            })
            .join('\n');
        const kept = [
          JSON.stringify({ ...localStorage }),
          JSON.stringify({ ...sessionStorage }),
          document.cookie,
        ];
        const databases = (await indexedDB.databases()).map(({ name }) => name);
        const caches = await window.caches.keys();
        /** @type {string[]} */
        const files = [];
        const directory = /** @type {any} */ (await navigator.storage.getDirectory());
        for await (const name of directory.keys()) files.push(name);
        return {
          document: all(document),
          kept: kept.join('\n'),
          address: location.href + JSON.stringify(history.state),
          stores: [...databases, ...caches, ...files],
        };
      });
      assert.deepEqual(text.stores, [], 'nothing is stored');
      assert.ok(text.document.includes('node') || text.document.length > 1000);
      for (const spelling of spellings) {
        for (const [where, what] of Object.entries(text)) {
          assert.ok(!String(what).includes(spelling), `the key is in the ${where}`);
        }
      }
    }
    for (const each of sent) assert.match(each, /^GET /, 'nothing is sent');
    assert.deepEqual(watch.offOrigin, []);
  });
});
