/** However a log comes in, the same is said of it; and nothing of it ever leaves. */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { root } from '../../scripts/machine/root.mjs';
import { clientArtifact } from '../wasm/client-artifact.mjs';
import { caseFolder, epochArchive, epochFolder, temporaryFolder } from './harness/logs.mjs';
import { drop, dropFolder, pick } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';
import { tarOf, zipOf } from './page/archives.mjs';
import { crumbs, details, idle, lines, notice, rows, showTab, tabs } from './page/scope.mjs';

/** @typedef {import('playwright-core').Page} Page */

const log = caseFolder('steady');
const [host = ''] = readdirSync(log);
const [epoch = ''] = readdirSync(join(log, host));
const segments = readdirSync(join(log, host, epoch))
  .filter((name) => name.includes('.jsonl'))
  .map((name) => join(log, host, epoch, name));

/** @param {Page} page */
async function read(page) {
  await idle(page);
  assert.equal(await notice(page), null);
  return { ...(await lines(page)), shown: await crumbs(page), tabs: await tabs(page) };
}

/** @type {Awaited<ReturnType<typeof read>>} */
let expected;

before(async () => {
  expected = await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-ways .zone', log);
    return read(page);
  });
  assert.ok((expected.tabs['Steps'] ?? 0) > 0, JSON.stringify(expected));
});

test('folders of every level, dropped', async () => {
  for (const folder of [log, join(log, host), join(log, host, epoch)]) {
    await withPage({}, async ({ page }) => {
      await dropFolder(page, 'scope-ways .zone', folder);
      assert.deepEqual(await read(page), expected, folder);
    });
  }
});

test('a folder from the picker', async () => {
  await withPage({}, async ({ page }) => {
    await pick(page, 'input#folder', log);
    assert.deepEqual(await read(page), expected);
  });
});

test('archives: .zip, .tar, .tar.gz, picked and dropped', async () => {
  for (const archive of [zipOf(log), tarOf(log, 'tar'), tarOf(log, 'tar.gz')]) {
    await withPage({}, async ({ page }) => {
      await pick(page, 'input#files', archive);
      assert.deepEqual(await read(page), expected, archive);
    });
    await withPage({}, async ({ page }) => {
      await drop(page, 'scope-ways .zone', archive);
      assert.deepEqual(await read(page), expected, archive);
    });
  }
});

test('gzipped segments in their folder', async () => {
  const folder = join(temporaryFolder(), 'log');
  cpSync(log, folder, { recursive: true });
  const inside = join(folder, host, epoch);
  for (const name of readdirSync(inside).filter((each) => each.endsWith('.jsonl'))) {
    writeFileSync(join(inside, `${name}.gz`), gzipSync(readFileSync(join(inside, name))));
    rmSync(join(inside, name));
  }
  await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-ways .zone', folder);
    assert.deepEqual(await read(page), expected);
  });
});

test('loose segments, plain and gzipped: the records say whose they are', async () => {
  const folder = temporaryFolder();
  const zipped = segments.map((path) => {
    const copy = join(folder, `${basename(path)}.gz`);
    writeFileSync(copy, gzipSync(readFileSync(path)));
    return copy;
  });
  for (const files of [segments, zipped]) {
    await withPage({}, async ({ page }) => {
      await drop(page, 'scope-ways .zone', files);
      const { shown, tabs: counts } = await read(page);
      assert.equal(shown, expected.shown);
      assert.equal(counts['Steps'], expected.tabs['Steps']);
      assert.equal(counts['Stalls'], expected.tabs['Stalls']);
    });
  }
});

test('the sample, by its button and by its address', async () => {
  const sample = await withPage({}, async ({ page }) => {
    await page.getByRole('button', { name: 'Open the sample' }).click();
    return read(page);
  });
  assert.match(sample.verdict, /^16 stalls over their limit/);
  await withPage({ open: '#sample' }, async ({ page }) => {
    assert.deepEqual(await read(page), sample);
  });
  await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-ways .zone', epochFolder('stalls'));
    assert.deepEqual(await read(page), sample);
  });
});

test('an archive of the same origin by #url=', async () => {
  const folder = join(temporaryFolder(), 'page');
  cpSync(join(root, 'web', 'dist'), folder, { recursive: true });
  copyFileSync(tarOf(log, 'tar.gz'), join(folder, 'mine.tar.gz'));
  await withPage({ folder, under: '/tools/', open: '#url=mine.tar.gz' }, async ({ page }) => {
    assert.deepEqual(await read(page), expected);
  });
});

test('#url= of another origin is refused in words and never asked for', async () => {
  await withPage({ open: '#url=https://example.com/log.tar.gz' }, async ({ page, watch }) => {
    await idle(page);
    assert.match(
      (await notice(page)) ?? '',
      /example\.com is another site.*Download the archive and drop it/,
    );
    assert.deepEqual(watch.offOrigin, []);
  });
});

test('#url= that leads nowhere says so', async () => {
  await withPage({ open: '#url=nowhere.tar.gz', clean: false }, async ({ page, watch }) => {
    await idle(page);
    assert.match((await notice(page)) ?? '', /nowhere\.tar\.gz could not be loaded: 404.*Check the address/);
    assert.deepEqual(watch.offOrigin, []);
  });
});

test('a drop on an open view adds its epochs; the same epoch again replaces itself', async () => {
  await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-ways .zone', log);
    await read(page);
    await drop(page, 'scope-timeline', epochArchive('crashed'));
    await read(page);
    assert.match(await crumbs(page), /2 epochs/);
    await dropFolder(page, 'scope-timeline', log);
    assert.equal((await read(page)).verdict, expected.verdict);
    assert.match(await crumbs(page), /2 epochs/);
  });
});

test('two drops in a row: the second waits for the first, then both are open', async () => {
  await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-header', epochFolder('stalls'));
    await dropFolder(page, 'scope-header', log);
    await idle(page);
    assert.equal(await notice(page), null);
    assert.match(await crumbs(page), /2 epochs/);
    assert.equal((await lines(page)).verdict, expected.verdict);
  });
});

test("a client's artifact with the folder: its requests bear its own names", async () => {
  const { bytes } = clientArtifact('stalls');
  const folder = temporaryFolder();
  const run = join(folder, 'run.jsonl');
  writeFileSync(run, bytes);
  const other = join(folder, 'other.jsonl.gz');
  writeFileSync(other, gzipSync('{"no":"artifact"}\n'));
  await withPage({}, async ({ page, watch }) => {
    // Alone it says what is missing.
    await pick(page, 'input#files', run);
    await idle(page);
    assert.match((await notice(page)) ?? '', /run\.jsonl says which requests are whose, but there is no log/);

    await dropFolder(page, 'scope-ways .zone', epochFolder('stalls'));
    await idle(page);
    await showTab(page, 'requests');
    assert.equal((await rows(page))[0]?.[0], 'cmpl-warmup-0-0');
    await drop(page, 'step-scope', run);
    await idle(page);
    assert.equal(await notice(page), null);
    assert.ok(
      watch.requests.some((url) => /reduce_bg.*\.wasm/.test(url)),
      'its module comes when it is needed',
    );
    const named = (await rows(page)).slice(0, 2).map(([name, whose]) => [name, whose]);
    assert.deepEqual(named, [
      ['◆ mine-0', 'chat · measure'],
      ['◆ mine-1', 'batch · measure'],
    ]);
    const search = page.getByRole('searchbox', { name: 'Search requests by ID' });
    await search.fill('mine-405');
    await idle(page);
    await page.locator('scope-rows .row').first().click();
    await idle(page);
    assert.match(await details(page), /own, mine-405, case batch, phase measure/);
    // Epochs that come later are asked too.
    await dropFolder(page, 'step-scope', epochFolder('stalls'));
    await idle(page);
    await search.fill('mine-7');
    await idle(page);
    assert.ok((await rows(page)).length > 1);

    await drop(page, 'step-scope', other);
    await idle(page);
    assert.match((await notice(page)) ?? '', /other\.jsonl\.gz could not be used: this is no artifact/);
  });
});
