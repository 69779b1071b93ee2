/** The harness itself: what it must notice, it notices; what it drives, arrives in the page. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { browser } from './harness/chromium.mjs';
import { caseFolder, temporaryFolder } from './harness/logs.mjs';
import { rendererMemory } from './harness/memory.mjs';
import { until } from './harness/until.mjs';
import { drop, dropFolder, pick } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';

/**
 * A page made of these files.
 *
 * @param {Record<string, string>} files
 */
function pageOf(files) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const head = '<!doctype html><link rel="icon" href="data:,"><title>t</title>';

test('a request off the origin is noticed, from the page and from a worker', async () => {
  const folder = pageOf({
    'index.html': `${head}<script type="module" src="page.js"></script>`,
    'page.js': `const ask = fetch('http://127.0.0.1:9/of-the-page').catch(() => {});
      const worker = new Worker('worker.js', { type: 'module' });
      worker.onmessage = async () => { await ask; document.title = 'done'; };`,
    'worker.js': `fetch('http://127.0.0.1:9/of-a-worker').catch(() => {}).then(() => postMessage(0));`,
  });
  await withPage({ folder, headers: false, clean: false }, async ({ page, watch }) => {
    await until(page, () => document.title === 'done');
    assert.deepEqual(watch.offOrigin.sort(), [
      'http://127.0.0.1:9/of-a-worker',
      'http://127.0.0.1:9/of-the-page',
    ]);
    assert.throws(() => watch.assertClean());
  });
});

test('the policy of the headers forbids that request', async () => {
  const folder = pageOf({
    'index.html': `${head}<script type="module" src="page.js"></script>`,
    'page.js': `fetch('http://127.0.0.1:9/').catch(() => {}).then(() => { document.title = 'done'; });`,
  });
  await withPage({ folder, clean: false }, async ({ page, watch }) => {
    await until(page, () => document.title === 'done');
    assert.match(watch.errors.join('\n'), /Content Security Policy/);
  });
});

test('errors of the page and of a worker are noticed', async () => {
  const folder = pageOf({
    'index.html': `${head}<script type="module" src="page.js"></script>`,
    'page.js': `console.error('logged');
      const worker = new Worker('worker.js', { type: 'module' });
      worker.onerror = () => {
        setTimeout(() => { document.title = 'done'; });
        throw new Error('thrown');
      };`,
    'worker.js': `throw new Error('in the worker');`,
  });
  await withPage({ folder, clean: false }, async ({ page, watch }) => {
    await until(page, () => document.title === 'done');
    await watch.settle();
    const errors = watch.errors.join('\n');
    for (const each of [/logged/, /in the worker/, /thrown/]) assert.match(errors, each);
    assert.throws(() => watch.assertClean());
  });
});

test('a page under a path of its host finds its files', async () => {
  const folder = pageOf({
    'index.html': `${head}<script type="module" src="./page.js"></script>`,
    'page.js': `document.title = 'loaded';`,
  });
  await withPage({ folder, under: '/tools/stepscope/' }, async ({ page, url }) => {
    await until(page, () => document.title === 'loaded');
    assert.equal(new URL(url).pathname, '/tools/stepscope/');
    const outside = await page.request.get(new URL('/page.js', url).href);
    assert.equal(outside.status(), 404);
  });
});

const READER = `
  const names = [];
  const walk = async (entry) => {
    if (entry.isFile) { names.push(entry.fullPath); return; }
    const reader = entry.createReader();
    for (;;) {
      const entries = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (entries.length === 0) return;
      for (const each of entries) await walk(each);
    }
  };
  document.body.addEventListener('dragover', (event) => event.preventDefault());
  document.body.addEventListener('drop', async (event) => {
    event.preventDefault();
    names.length = 0;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
    for (const entry of entries) await walk(entry);
    document.body.dataset.names = JSON.stringify(names.sort());
  });
  document.querySelector('input').addEventListener('change', (event) => {
    const picked = [...event.target.files].map((file) => '/' + file.webkitRelativePath);
    document.body.dataset.names = JSON.stringify(picked.sort());
  });`;

/** Paths as a page sees them when it is given `folder`. @param {string} folder @param {string} name */
const pathsIn = (folder, name) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${name}${join(entry.parentPath, entry.name).slice(folder.length)}`)
    .sort();

test('a dropped folder, dropped files and a picked folder arrive whole', async () => {
  const folder = pageOf({
    'index.html': `${head}<body>drop here<input type="file" webkitdirectory><script type="module" src="page.js"></script>`,
    'page.js': READER,
  });
  const log = caseFolder('steady');
  await withPage({ folder }, async ({ page }) => {
    const arrived = async () => {
      const names = await until(page, () => document.body.dataset.names);
      await page.evaluate(() => delete document.body.dataset.names);
      return JSON.parse(names ?? '');
    };
    await dropFolder(page, 'body', log);
    assert.deepEqual(await arrived(), pathsIn(log, 'log'));

    const [one = '', two = ''] = readdirSync(log, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(log, name))
      .sort();
    await drop(page, 'body', [one, two]);
    assert.deepEqual(
      await arrived(),
      [one, two].map((path) => `/${basename(path)}`),
    );
  });
  await withPage({ folder }, async ({ page }) => {
    await pick(page, 'input', log);
    const names = await until(page, () => document.body.dataset.names);
    assert.deepEqual(JSON.parse(names ?? ''), pathsIn(log, 'log'));
  });
});

test('memory of the renderer grows by what the page holds', async () => {
  const folder = pageOf({ 'index.html': head });
  await withPage({ folder }, async ({ page }) => {
    const before = await rendererMemory(await browser());
    await page.evaluate('window.held = new Uint8Array(100_000_000).fill(1); 0');
    const [after] = await rendererMemory(await browser());
    assert.ok(after);
    // Another renderer, held ready by the browser, may have been the largest.
    const then = before.find(({ pid }) => pid === after.pid);
    assert.ok(then);
    assert.ok(after.resident - then.resident > 90_000_000, `${then.resident} → ${after.resident} bytes`);
    assert.ok(after.peak >= after.resident);
  });
});
