/** Simulated samples: listed when they are asked for, made in the page, read like any log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './harness/accessibility.mjs';
import { inEveryLook } from './harness/screenshots.mjs';
import { withPage } from './harness/with-page.mjs';
import { crumbs, idle, lines, notice, tabs } from './page/scope.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page */
const toggle = (page) => page.getByRole('button', { name: 'Simulated samples' });

/** @param {Page} page @param {string} name of a preset, in the open list */
const preset = (page, name) => page.locator('scope-presets button', { hasText: new RegExp(`^\\s*${name} `) });

/** @param {Page} page @param {string} name */
async function open(page, name) {
  await toggle(page).click();
  await preset(page, name).click();
  await idle(page);
  assert.equal(await notice(page), null);
}

test('two presets from the menu, each with what it shows', async () => {
  await withPage({}, async ({ page, watch }) => {
    await idle(page);
    /** @returns {string[]} of the second module, what was asked for so far */
    const asked = () => watch.requests.filter((url) => /presets|simulate/.test(url));
    assert.deepEqual(asked(), [], 'nothing of it is loaded first');

    await open(page, 'interference');
    assert.equal(asked().filter((url) => /simulate_bg.*\.wasm/.test(url)).length > 0, true, asked().join());
    const first = await lines(page);
    assert.match(first.verdict, /^8 stalls over their limit, 9\.6 s in all/);
    assert.match(first.trust, /^Whole\. 837 records/);
    assert.match(await crumbs(page), /^simulated-interference › engine 4242/);
    assert.equal((await tabs(page))['Steps'], 409);

    await page.getByRole('button', { name: 'Open…' }).click();
    await open(page, 'hang-in-step');
    const second = await lines(page);
    assert.match(
      second.verdict,
      /^1 stall over its limit.* 60\.0 s within a step at 5\.0 s, not over when the log ends/,
    );
    assert.match(second.trust, /ends at 65\.0 s without a goodbye/);
    // Beside the first, not in its place.
    assert.match(await crumbs(page), /^simulated-hang-in-step › engine 4242 · 2 epochs/);
  });
});

test('every preset of the menu can be opened', async () => {
  await withPage({}, async ({ page }) => {
    await toggle(page).click();
    await preset(page, 'interference').waitFor();
    const names = await page.locator('scope-presets strong').allTextContents();
    assert.ok(names.length >= 20, names.join());
    for (const [at, name] of names.entries()) {
      if (at > 0) await page.getByRole('button', { name: 'Open…' }).click();
      // The list stays open: the dialog remembers it.
      if ((await page.locator('scope-presets').count()) === 0) await toggle(page).click();
      await preset(page, name).click();
      await idle(page);
      assert.equal(await notice(page), null, name);
      assert.match(await crumbs(page), new RegExp(`^simulated-${name} `));
      assert.ok(((await tabs(page))['Steps'] ?? 0) > 0, name);
    }
  });
});

test('the menu by keyboard, and to axe, on the first screen and in the dialog', async () => {
  await withPage({}, async ({ page }) => {
    await idle(page);
    await toggle(page).focus();
    assert.equal(await toggle(page).getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('Enter');
    await preset(page, 'thrash').waitFor();
    assert.equal(await toggle(page).getAttribute('aria-expanded'), 'true');
    await inEveryLook(page, 'presets', () => assertAccessible(page));

    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await idle(page);
    assert.match(await crumbs(page), /^simulated-thrash /);

    await page.getByRole('button', { name: 'Open…' }).click();
    await toggle(page).click();
    await preset(page, 'thrash').waitFor();
    await inEveryLook(page, 'presets-dialog', () => assertAccessible(page));
    await toggle(page).click();
    await page.locator('scope-presets').waitFor({ state: 'detached' });
    assert.equal(await toggle(page).getAttribute('aria-expanded'), 'false');
  });
});

test('a module that cannot be loaded is said, and files can still be opened', async () => {
  /** @param {Page} page */
  const before = (page) =>
    page.route(/simulate_bg.*\.wasm/, (route) => route.fulfill({ status: 503, body: '' }));
  await withPage({ before, clean: false }, async ({ page }) => {
    await toggle(page).click();
    await page.locator('scope-notice').waitFor();
    assert.match((await notice(page)) ?? '', /^The sample could not be made: .*503/);
    await page.getByRole('button', { name: 'Open the sample' }).click();
    await idle(page);
    assert.equal(await notice(page), null);
    assert.match((await lines(page)).verdict, /^16 stalls/);
  });
});
