/** What is seen and how one moves in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochArchive, epochFolder } from './harness/logs.mjs';
import { dropFolder, pick } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';
import { colours, crumbs, details, idle, lines, notice, rows, showTab, tabs } from './page/scope.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @param {(page: Page) => Promise<unknown>} use */
const onSample = (use) =>
  withPage({ open: '#sample' }, async ({ page }) => {
    await idle(page);
    await use(page);
    assert.equal(await notice(page), null);
  });

/** The visible range, seconds; null when it is the whole epoch. @param {Page} page */
async function range(page) {
  const [, from, to] = /([\d.]+) – ([\d.]+) s$/.exec(await crumbs(page)) ?? [];
  return from === undefined || to === undefined ? null : { from: Number(from), to: Number(to) };
}

/** @param {Page} page @param {string} key */
async function press(page, key) {
  await page.keyboard.press(key);
  await idle(page);
}

const LIGHT = {
  host: '#c92a20',
  hostOrGpu: '#c07f06',
  prefill: '#2a66cc',
  decode: '#2b8069',
  known: '#3f8f7d',
};

test('the tracks of a real epoch are drawn', async () => {
  await onSample(async (page) => {
    const overview = await colours(page, 'overview');
    assert.ok((overview[LIGHT.host] ?? 0) > 200, 'stalls of the host in the overview');
    assert.ok((overview[LIGHT.hostOrGpu] ?? 0) > 200, 'stalls of host or GPU in the overview');
    const loop = await colours(page, 'loop');
    assert.ok((loop[LIGHT.host] ?? 0) > 100);
    const tokens = await colours(page, 'tokens');
    assert.ok((tokens[LIGHT.prefill] ?? 0) > 500 && (tokens[LIGHT.decode] ?? 0) > 500);
    const members = await colours(page, 'members');
    assert.ok((members[LIGHT.decode] ?? 0) > 2000);
    assert.ok(((await colours(page, 'coverage'))[LIGHT.known] ?? 0) > 3000);
  });
});

test('a stall is zoomed to and explained; Esc goes back', async () => {
  await onSample(async (page) => {
    const [worst = []] = await rows(page);
    assert.deepEqual(worst.slice(1, 4), ['between steps', 'host', '1.50 s']);
    await page.locator('scope-rows .row').first().click();
    await idle(page);
    const shown = await range(page);
    assert.ok(shown && shown.to - shown.from > 4 && shown.to - shown.from < 8, JSON.stringify(shown));
    const text = await details(page);
    assert.match(text, /1\.50 s between steps.*the host's.*Limit.*Records.*Ready.*Before/);
    assert.equal(await page.locator('scope-rows .row[aria-selected=true]').count(), 1);
    const band = await colours(page, 'tokens');
    assert.ok((band['#f6dfdb'] ?? 0) > 5000, 'the stall is a band through the tracks');
    await press(page, 'Escape');
    assert.equal(await range(page), null);
  });
});

test('the numbers of the verdict lead to what they count', async () => {
  await onSample(async (page) => {
    await page.locator('scope-lines button', { hasText: '1.50 s between steps' }).click();
    await idle(page);
    assert.match(await details(page), /1\.50 s between steps/);
    await showTab(page, 'config');
    await page.locator('scope-lines button', { hasText: '16 stalls' }).click();
    await idle(page);
    assert.equal(await page.locator('#tab-stalls').getAttribute('aria-selected'), 'true');
  });
});

test('keys: zoom, pan, whole, fit, marks', async () => {
  await onSample(async (page) => {
    const track = page.locator('scope-timeline .loop .plot');
    await track.hover();
    for (let i = 0; i < 8; i += 1) await press(page, 'w');
    const near = await range(page);
    assert.ok(near, 'W zooms');
    await press(page, 'd');
    const right = await range(page);
    assert.ok(right && right.from > near.from, 'D moves later');
    await press(page, 'a');
    await press(page, 'ArrowLeft');
    const left = await range(page);
    assert.ok(left && left.from < right.from, 'A and ← move earlier');
    await press(page, 's');
    const far = await range(page);
    assert.ok(far && far.to - far.from > left.to - left.from, 'S zooms out');
    await press(page, '0');
    assert.equal(await range(page), null, '0 shows all');
    await press(page, '.');
    assert.notEqual(
      await page.locator('scope-cursor .line').count(),
      0,
      'the cursor stands at the next mark',
    );
    assert.notEqual(await details(page), '');
    await press(page, 'f');
    assert.ok(await range(page), 'F fits what is selected');
    await press(page, '?');
    assert.ok(await page.getByRole('dialog', { name: 'Keys and gestures' }).isVisible());
    await press(page, 'Escape');
    assert.ok(!(await page.getByRole('dialog', { name: 'Keys and gestures' }).isVisible()));
  });
});

test('the pointer: wheel, drag, shift and drag, click, overview', async () => {
  await onSample(async (page) => {
    const box = await page.locator('scope-timeline .tokens .plot').boundingBox();
    const strip = await page.locator('scope-timeline .overview .plot').boundingBox();
    assert.ok(box && strip);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };

    await page.mouse.move(strip.x + strip.width * 0.25, strip.y + 10);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width * 0.5, strip.y + 20, { steps: 4 });
    await page.mouse.up();
    await idle(page);
    const chosen = await range(page);
    assert.ok(chosen && chosen.to - chosen.from > 25 && chosen.to - chosen.from < 35, JSON.stringify(chosen));

    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await idle(page);
    const wheeled = await range(page);
    assert.ok(wheeled && wheeled.to - wheeled.from < chosen.to - chosen.from);
    const middle = (chosen.from + chosen.to) / 2;
    const about = (wheeled.from + wheeled.to) / 2;
    assert.ok(Math.abs(about - middle) < 0.2, 'the time under the pointer stays there');

    await page.mouse.down();
    await page.mouse.move(at.x - 200, at.y, { steps: 4 });
    await page.mouse.up();
    await idle(page);
    const dragged = await range(page);
    assert.ok(dragged && dragged.from > wheeled.from, 'a drag to the left shows what is later');

    await page.keyboard.down('Shift');
    await page.mouse.move(at.x - 100, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 100, at.y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await idle(page);
    assert.match(await details(page), /selected/);

    await page.mouse.click(at.x, at.y);
    await idle(page);
    assert.match(await details(page), /Step \d|between steps|within step|in schedule/);
  });
});

test('the cursor has a card with the step under it', async () => {
  await onSample(async (page) => {
    await page.locator('scope-timeline .loop .plot').hover();
    await idle(page);
    assert.match((await page.locator('scope-cursor .card').textContent()) ?? '', /step [\d,]+|idle|nothing/i);
    await page.locator('scope-header h1').hover();
    await idle(page);
    assert.equal(await page.locator('scope-cursor .card').count(), 0);
  });
});

test('steps: every one in order, the longest first, each with its members', async () => {
  await onSample(async (page) => {
    await showTab(page, 'steps');
    assert.equal((await tabs(page))['Steps'], 12_269);
    await page.locator('scope-rows .grid').press('End');
    await idle(page);
    const last = (await rows(page)).at(-1) ?? [];
    assert.match(last.join(' '), /12,?26\d|122\d\d/);
    await page.locator('scope-rows .head button', { hasText: 'Step time' }).click();
    await idle(page);
    const longest = (await rows(page)).slice(0, 2).map((row) => row[3]);
    assert.deepEqual(longest, ['2.04 s', '808 ms']);
    await page.locator('scope-rows .row').nth(1).click();
    await idle(page);
    const members = page.locator('scope-details table tbody tr');
    assert.ok((await members.count()) >= 1);
    assert.ok((await page.locator('scope-details table th').count()) >= 13, 'every field of a member');
    const before = await details(page);
    await page.getByRole('button', { name: 'Step after' }).click();
    await idle(page);
    assert.notEqual(await details(page), before);
  });
});

test('requests: every one with its waits, sorted, searched, explained', async () => {
  await onSample(async (page) => {
    await showTab(page, 'requests');
    assert.equal((await tabs(page))['Requests'], 406);
    assert.equal((await rows(page))[0]?.[0], 'cmpl-warmup-0-0');
    await page.locator('scope-rows .head button', { hasText: 'First token' }).click();
    await idle(page);
    const slowest = (await rows(page)).slice(0, 2).map(([, , , first]) => first);
    assert.deepEqual(slowest, ['2.04 s', '1.47 s']);
    const search = page.getByRole('searchbox', { name: 'Search requests by ID' });
    await search.fill('CE89D56D');
    await idle(page);
    const found = await rows(page);
    assert.equal(found.length, 1, JSON.stringify(found));
    await page.locator('scope-rows .row').first().click();
    await idle(page);
    assert.match(
      await details(page),
      /Request ce89d56d · 2\.36 s.*113 steps in all, and ended by its length/s,
    );
    assert.equal(await page.locator('scope-rows .row[aria-selected=true]').count(), 1);
    // What is typed is no shortcut of the view.
    const range = await crumbs(page);
    await search.fill('');
    await search.press('w');
    assert.equal(await search.inputValue(), 'w');
    assert.equal(await crumbs(page), range);
    await search.fill('nobody has this');
    await idle(page);
    assert.match(
      (await page.locator('scope-rows .empty').textContent()) ?? '',
      /No request has “nobody has this”/,
    );
  });
});

test('lanes in order of arrival are as many as requests, and scroll', async () => {
  await onSample(async (page) => {
    await page.locator('scope-timeline button.order').click();
    await idle(page);
    const lanes = page.locator('scope-timeline .scroll');
    const height = await lanes.evaluate(({ scrollHeight }) => scrollHeight);
    assert.ok(height > 400 * 17, `${height} px`);
    for (let i = 0; i < 200; i += 1) await page.keyboard.press('ArrowDown');
    await idle(page);
    assert.ok((await lanes.evaluate(({ scrollTop }) => scrollTop)) > 5000, 'keys scroll');
    assert.ok(((await colours(page, 'members'))[LIGHT.decode] ?? 0) > 5, 'keys stop at the last lane');
    await page.keyboard.press('0');
    await lanes.evaluate((element) => element.scrollTo(0, 99_999));
    await idle(page);
    assert.ok(((await colours(page, 'members'))[LIGHT.decode] ?? 0) > 5, 'the last lanes are drawn');
  });
});

test('several epochs: a list, engines and workers, one refused, switch between them', async () => {
  await withPage({}, async ({ page }) => {
    await pick(page, 'input#files', epochArchive('multi'));
    await idle(page);
    assert.match(await crumbs(page), /7 epochs/);
    const button = page.locator('scope-header button.epochs');
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Epochs' });
    assert.equal(await dialog.locator('button.inline').count(), 7);
    assert.match((await dialog.textContent()) ?? '', /Not recorded: model runner/);

    await dialog.locator('button.inline', { hasText: 'worker 14915' }).click();
    await idle(page);
    assert.match(
      (await page.locator('scope-empty .inside').textContent()) ?? '',
      /worker has no steps of its own.*calls that ran without an iteration/is,
    );
    assert.deepEqual(Object.keys(await tabs(page)), ['Problems', 'Config']);

    await button.click();
    await dialog.locator('button.inline', { hasText: 'worker 13818' }).click();
    await idle(page);
    assert.match((await page.locator('scope-empty .inside').textContent()) ?? '', /CPUModelRunner/);

    await button.click();
    await dialog.locator('button.inline', { hasText: 'engine 13581' }).click();
    await idle(page);
    assert.ok(await page.locator('scope-timeline').isVisible());
    assert.match((await lines(page)).trust, /records/);
  });
});

for (const [name, role] of /** @type {const} */ ([
  ['steady', 'engine'],
  ['stalls', 'engine'],
  ['preempt', 'engine'],
  ['pause_reset', 'engine'],
  ['spec_ngram', 'engine'],
  ['killed_torn', 'engine'],
  ['multi', 'engine'],
  ['crashed', 'engine'],
])) {
  test(`the real epoch ${name} opens, its every tab and track`, async () => {
    await withPage({}, async ({ page }) => {
      await dropFolder(page, 'scope-ways .zone', epochFolder(name));
      await idle(page);
      assert.equal(await notice(page), null);
      assert.match(await crumbs(page), new RegExp(role));
      const { trust, verdict } = await lines(page);
      assert.ok(trust.length > 10 && verdict.length > 10);
      for (const tab of /** @type {const} */ (['stalls', 'steps', 'requests', 'problems', 'config'])) {
        await showTab(page, tab);
        const counted =
          Object.entries(await tabs(page)).find(([title]) => title.toLowerCase() === tab)?.[1] ?? 1;
        assert.equal((await rows(page)).length > 0, counted > 0 || tab === 'stalls', tab);
      }
      for (const track of ['Overview', 'Loop', 'Tokens', 'Requests', 'Members', 'Coverage']) {
        const button = page.getByRole('button', { name: `${track} as a table` });
        await button.focus();
        await page.keyboard.press('Enter');
        await idle(page);
        assert.equal(await notice(page), null, track);
        assert.ok((await rows(page)).length > 0, `${track} has marks`);
      }
    });
  });
}

test('steady says that its worst is warm-up', async () => {
  await withPage({}, async ({ page }) => {
    await dropFolder(page, 'scope-ways .zone', epochFolder('steady'));
    await idle(page);
    assert.match((await lines(page)).verdict, /warm-up/i);
    const shown = await rows(page);
    const head = shown.findIndex((row) => row.length === 1 && /warm-up/i.test(row[0] ?? ''));
    assert.ok(head >= 0, JSON.stringify(shown.slice(0, 4)));
  });
});

test('the theme follows the system and can be chosen', async () => {
  await withPage({ open: '#sample' }, async ({ page }) => {
    await idle(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await idle(page);
    assert.ok(((await colours(page, 'loop'))['#14171b'] ?? 0) > 1000, 'the ground is dark');
    const button = page.locator('scope-header button[aria-label^=Colours]');
    await button.click();
    await idle(page);
    assert.ok(((await colours(page, 'loop'))['#fcfcfa'] ?? 0) > 1000, 'light was chosen');
    await page.reload();
    await idle(page);
    assert.match((await button.getAttribute('aria-label')) ?? '', /^Colours: light/);
  });
});

test('drawing while dragging asks nothing of the log on most frames', async () => {
  await onSample(async (page) => {
    for (let i = 0; i < 12; i += 1) await press(page, 'w');
    const asked = () =>
      page.evaluate(() => /** @type {any} */ (window).stepscope.timings.queries.tracks.length);
    const before = await asked();
    const box = await page.locator('scope-timeline .tokens .plot').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 600, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 20, { steps: 30 });
    await page.mouse.up();
    await idle(page);
    assert.ok(
      (await asked()) - before <= 2,
      `${(await asked()) - before} questions for a pan of a third of the width`,
    );
  });
});

test('two fingers zoom, one moves along time and leaves the page to scroll', async () => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await withPage({ open: '#sample', context }, async ({ page }) => {
    await idle(page);
    const box = await page.locator('scope-timeline .tokens .plot').boundingBox();
    assert.ok(box);
    const y = box.y + box.height / 2;
    const session = await page.context().newCDPSession(page);
    /** @param {'touchStart' | 'touchMove' | 'touchEnd'} type @param {number[]} xs */
    const touch = (type, xs) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y, id })) });
    await touch('touchStart', [180]);
    await touch('touchStart', [180, 220]);
    for (let d = 0; d <= 120; d += 20) await touch('touchMove', [180 - d, 220 + d]);
    await touch('touchEnd', []);
    await idle(page);
    const pinched = await range(page);
    assert.ok(pinched && pinched.to - pinched.from < 40, JSON.stringify(pinched));
    await touch('touchStart', [300]);
    for (let x = 300; x >= 100; x -= 25) await touch('touchMove', [x]);
    await touch('touchEnd', []);
    await idle(page);
    const moved = await range(page);
    assert.ok(moved && moved.from > pinched.from, 'a finger to the left shows what is later');
    assert.ok(Math.abs(moved.to - moved.from - (pinched.to - pinched.from)) < 0.2, 'at the same zoom');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} px wide`);
  });
});
