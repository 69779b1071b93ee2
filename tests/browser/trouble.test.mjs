/** Whatever is wrong with what comes in, the page ends in a picture or in words that say what to do. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { caseFolder, epochArchive, epochFolder, temporaryFolder } from './harness/logs.mjs';
import { until } from './harness/until.mjs';
import { drop, dropFolder, pick } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';
import { tarOf, zipOf } from './page/archives.mjs';
import { EPOCH, hookDirectory, Lines, segment } from './page/made-logs.mjs';
import { longestTask } from './page/main-thread.mjs';
import { crumbs, details, idle, lines, notice, rows, showTab, tabs } from './page/scope.mjs';

const ZONE = 'scope-ways .zone';

test('a folder that is no hook directory: what is one, and where to find it', async () => {
  const folder = join(temporaryFolder(), 'pictures');
  mkdirSync(join(folder, 'holidays'), { recursive: true });
  writeFileSync(join(folder, 'holidays', 'beach.png'), 'x');
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, folder);
    await idle(page);
    assert.match((await notice(page)) ?? '', /pictures.*hook directory.*\b(drop|Drop)/);
    assert.ok(await page.locator('scope-ways').isVisible(), 'the ways in are still there');
    // The page goes on after it.
    await dropFolder(page, ZONE, caseFolder('steady'));
    await idle(page);
    assert.equal(await notice(page), null);
    assert.ok(await page.locator('scope-timeline').isVisible());
  });
});

test('an empty folder', async () => {
  const folder = join(temporaryFolder(), 'nothing');
  mkdirSync(folder);
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, folder);
    await idle(page);
    assert.match((await notice(page)) ?? '', /nothing is empty\. Drop the directory that the hook/);
  });
});

test('archives that are broken, cut off, or of something else', async () => {
  const whole = caseFolder('steady');
  const noArchive = join(temporaryFolder(), 'log.tar.gz');
  writeFileSync(noArchive, 'this is not gzip');
  const noZip = join(temporaryFolder(), 'log.zip');
  writeFileSync(noZip, 'this is no zip');
  const cutZip = zipOf(whole);
  truncateSync(cutZip, 1000);
  for (const path of [noArchive, noZip, cutZip]) {
    await withPage({}, async ({ page }) => {
      await pick(page, 'input#files', path);
      await idle(page);
      assert.match((await notice(page)) ?? '', /could not be unpacked.*damaged or incomplete/, path);
    });
  }
});

test('an archive cut off in the middle still shows what came before the cut', async () => {
  const archive = tarOf(epochFolder('steady'), 'tar');
  truncateSync(archive, 9_000_000);
  await withPage({}, async ({ page }) => {
    await pick(page, 'input#files', archive);
    await idle(page);
    assert.ok(
      ((await tabs(page))['Steps'] ?? 0) > 100,
      JSON.stringify([await tabs(page), await notice(page)]),
    );
    assert.ok(((await tabs(page))['Problems'] ?? 0) > 0, 'and says that it was cut');
  });
});

test('a segment of no bytes', async () => {
  const log = new Lines();
  log.hello();
  log.request('a', 1);
  for (let i = 0; i < 50; i += 1) log.step(i, 10 + i * 10, ['a']);
  log.goodbye(600);
  const folder = hookDirectory({ '000000.jsonl': segment(log), '000001.jsonl': '' });
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, folder);
    await idle(page);
    assert.equal(await notice(page), null);
    assert.equal((await tabs(page))['Steps'], 50);
  });
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, hookDirectory({ '000000.jsonl': '' }));
    await idle(page);
    assert.equal(await notice(page), null);
    assert.ok(await page.locator('scope-empty h2').isVisible(), 'an epoch without records says so');
  });
});

test('a torn .part: its whole lines count, the torn one is said', async () => {
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, epochFolder('killed_torn'));
    await idle(page);
    assert.equal(await notice(page), null);
    assert.ok(((await tabs(page))['Steps'] ?? 0) > 100);
    const { trust } = await lines(page);
    assert.match(trust, /ends inside a line/);
  });
  const log = new Lines();
  log.hello();
  log.request('a', 1);
  for (let i = 0; i < 20; i += 1) log.step(i, 10 + i * 10, ['a']);
  const folder = hookDirectory({ '000000.jsonl.part': segment(log) });
  const part = join(folder, 'made-b', EPOCH, '000000.jsonl.part');
  appendFileSync(part, '{"format":"stormlog.vllm_hook/1","kind":"sched');
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, folder);
    await idle(page);
    assert.equal((await tabs(page))['Steps'], 20);
  });
});

test('200,000 empty steps are one row, drawn and walked as fast as any', async () => {
  const log = new Lines();
  log.hello();
  log.request('a', 1);
  log.step(0, 5, ['a']);
  for (let i = 1; i <= 200_000; i += 1) log.step(i, 10 + i, []);
  log.step(200_001, 200_020, ['a']);
  log.goodbye(200_030);
  const folder = hookDirectory({ '000000.jsonl': segment(log) });
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, folder);
    await idle(page);
    assert.equal(await notice(page), null);
    await showTab(page, 'steps');
    assert.equal((await tabs(page))['Steps'], 200_002);
    const shown = await rows(page);
    assert.equal(shown.length, 3, JSON.stringify(shown));
    assert.match(shown[1]?.join(' ') ?? '', /200,000 steps/);
    for (const key of ['w', 'w', 'd', 'd', '0', '.', ',']) await page.keyboard.press(key);
    await idle(page);
    assert.equal(await notice(page), null);
  });
});

test('stamps sixty years apart are drawn, and nothing is asked of them without end', async () => {
  const log = new Lines();
  log.hello();
  log.request('a', 1);
  log.step(0, 5, ['a']);
  log.step(1, 2e12, ['a']);
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, hookDirectory({ '000000.jsonl': segment(log) }));
    await idle(page);
    assert.equal(await notice(page), null);
    assert.equal((await tabs(page))['Steps'], 2);
    for (let i = 0; i < 60; i += 1) await page.keyboard.press('w');
    await idle(page);
    const asked = await page.evaluate(
      () => /** @type {any} */ (window).stepscope.timings.queries.tracks.length,
    );
    assert.ok(asked < 200, `${asked} questions`);
  });
});

test('a request ID that is HTML is text', async () => {
  const evil = '<img src=x onerror="document.title=\'owned\'">';
  const log = new Lines();
  log.hello();
  log.request(evil, 1);
  for (let i = 0; i < 40; i += 1) log.step(i, 10 + i * 10, [evil]);
  // A stall of two seconds, so that the ID is in the explanation too.
  for (let i = 40; i < 60; i += 1) log.step(i, 2500 + i * 10, [evil]);
  log.heartbeat(1);
  log.goodbye(4000);
  await withPage({}, async ({ page }) => {
    await dropFolder(page, ZONE, hookDirectory({ '000000.jsonl': segment(log) }));
    await idle(page);
    await showTab(page, 'steps');
    await page.locator('scope-rows .row').first().click();
    await idle(page);
    assert.ok((await details(page)).includes('<img src=x'), await details(page));
    for (const tab of /** @type {const} */ (['stalls', 'problems', 'config'])) await showTab(page, tab);
    await page.getByRole('button', { name: 'Members as a table' }).click({ force: true });
    await idle(page);
    assert.ok(JSON.stringify(await rows(page)).includes('<img src=x'));
    assert.notEqual(await page.title(), 'owned');
    const images = await page.evaluate(() => {
      /** @param {ParentNode} root @returns {number} */
      const within = (root) =>
        root.querySelectorAll('img').length +
        [...root.querySelectorAll('*')].reduce(
          (sum, { shadowRoot }) => sum + (shadowRoot ? within(shadowRoot) : 0),
          0,
        );
      return within(document);
    });
    assert.equal(images, 0);
  });
});

test('a cancelled reading leaves the page ready for the next', async () => {
  await withPage({}, async ({ page }) => {
    // Enough that it cannot be over before the button is pressed.
    const many = Array.from({ length: 6 }, () => epochFolder('stalls'));
    await drop(page, ZONE, many);
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.click();
    await idle(page);
    assert.equal(await notice(page), null, 'a wish fulfilled is no fault');
    assert.ok(await page.locator('scope-start').isVisible());
    await dropFolder(page, ZONE, caseFolder('steady'));
    await idle(page);
    assert.ok(await page.locator('scope-timeline').isVisible());
    assert.doesNotMatch(await crumbs(page), /epochs/, 'nothing of the cancelled reading is left');
  });
});

test('progress is told in bytes and MB/s, under the manifest', async () => {
  await withPage({}, async ({ page }) => {
    const seen = until(page, () => {
      const scope = document.querySelector('step-scope')?.shadowRoot;
      const reading = scope?.querySelector('scope-reading')?.shadowRoot?.textContent ?? '';
      return /\d MB of \d+\.\d MB · [\d.]+ MB\/s/.test(reading) && reading.includes('engine 8395') && reading;
    });
    await dropFolder(page, ZONE, epochFolder('stalls'));
    assert.ok(await seen);
    await idle(page);
  });
});

test('the main thread is never held for more than 50 ms, from the drop to the picture', async () => {
  await withPage({}, async ({ page }) => {
    await idle(page);
    const longest = await longestTask(page, async () => {
      await dropFolder(page, ZONE, epochFolder('stalls'));
      await idle(page);
    });
    assert.ok(await page.locator('scope-timeline').isVisible());
    assert.ok(longest > 0.1 && longest <= 50, `a task of ${longest} ms`);
  });
});

test('a file that cannot be read is a problem of its segment, not of the page', async () => {
  await withPage({}, async ({ page }) => {
    const archive = zipOf(caseFolder('steady'));
    const bytes = readFileSync(archive);
    // Spoil the middle of the first member's data: the list of files stays as it was.
    for (let at = 400; at < 900; at += 1) bytes[at] = 0xff;
    writeFileSync(archive, bytes);
    await pick(page, 'input#files', archive);
    await idle(page);
    assert.equal(await notice(page), null);
    assert.ok(((await tabs(page))['Problems'] ?? 0) > 0);
  });
});

test('a crash of the engine is told', async () => {
  await withPage({}, async ({ page }) => {
    await pick(page, 'input#files', epochArchive('crashed'));
    await idle(page);
    assert.equal(await notice(page), null);
    await showTab(page, 'steps');
    await page.locator('scope-rows .grid').press('End');
    await idle(page);
    assert.match((await rows(page)).at(-1)?.at(-1) ?? '', /no outcome/);
  });
});

test('a session that dies, and an error that nobody caught, end in words', async () => {
  await withPage({ clean: false }, async ({ page }) => {
    await dropFolder(page, ZONE, caseFolder('steady'));
    await idle(page);
    await page.evaluate(() => setTimeout(() => Promise.reject(new Error('a stray rejection'))));
    await page.getByText('a stray rejection').waitFor();
    assert.match((await notice(page)) ?? '', /a stray rejection\. .*Reload the page/);
    await page.locator('scope-notice').getByRole('button', { name: 'Close' }).click();
    assert.equal(await notice(page), null);
    assert.ok(await page.locator('scope-timeline').isVisible(), 'what is open stays');

    const names = await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.name)));
    const session = page.workers()[names.indexOf('session')];
    assert.ok(session);
    await session.evaluate(() => {
      setTimeout(() => {
        throw new Error('the session is gone');
      });
    });
    await page.getByText('the session is gone').waitFor();
    assert.ok(await page.locator('scope-notice').getByRole('button', { name: 'Reload' }).isVisible());
  });
});

test('a page whose wasm is not served says so', async () => {
  const before = (/** @type {import('playwright-core').Page} */ page) =>
    page.route('**/*.wasm', (route) => route.fulfill({ status: 404, body: '' }));
  await withPage({ clean: false, before }, async ({ page }) => {
    await page.locator('scope-notice').waitFor();
    assert.match((await notice(page)) ?? '', /wasm: 404/);
    assert.ok(await page.locator('scope-start').isVisible());
  });
});
