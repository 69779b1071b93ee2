/** Every state of the page, in every look: axe finds nothing; and all of it is reached by keyboard. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertAccessible } from './harness/accessibility.mjs';
import { epochArchive, epochFolder, temporaryFolder } from './harness/logs.mjs';
import { inEveryLook } from './harness/screenshots.mjs';
import { until } from './harness/until.mjs';
import { drop, dropFolder, pick } from './harness/ways-in.mjs';
import { withPage } from './harness/with-page.mjs';
import { details, idle, notice, rows, showTab } from './page/scope.mjs';

/** @param {import('playwright-core').Page} page @param {string} name */
const inspect = (page, name) =>
  inEveryLook(page, name, async () => {
    await idle(page);
    await assertAccessible(page);
  });

test('the view, a stall explained, steps with members, problems, config, a track as a table', async () => {
  await withPage({ open: '#sample' }, async ({ page }) => {
    await idle(page);
    await inspect(page, 'view');
    await page.locator('scope-rows .row').first().click();
    await inspect(page, 'stall');
    await showTab(page, 'steps');
    await page.locator('scope-rows .row').nth(3).click();
    await inspect(page, 'step');
    await showTab(page, 'requests');
    await page.locator('scope-rows .row').nth(3).click();
    await inspect(page, 'requests');
    await showTab(page, 'problems');
    await inspect(page, 'problems');
    await showTab(page, 'config');
    await inspect(page, 'config');
    await page.getByRole('button', { name: 'Loop as a table' }).click({ force: true });
    await inspect(page, 'loop-table');
  });
});

test('the dialogs', async () => {
  await withPage({}, async ({ page }) => {
    await pick(page, 'input#files', epochArchive('multi'));
    await idle(page);
    await page.locator('scope-header button.epochs').click();
    await inspect(page, 'epochs');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await inspect(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open…' }).click();
    await inspect(page, 'add');
    await page.keyboard.press('Escape');
    await page.locator('scope-header button.epochs').click();
    await page.locator('scope-epochs button.inline', { hasText: 'worker 14915' }).click();
    await inspect(page, 'worker');
  });
});

test('a reading under way, and a fault', async () => {
  await withPage({}, async ({ page }) => {
    await drop(
      page,
      'scope-ways .zone',
      Array.from({ length: 8 }, () => epochFolder('stalls')),
    );
    await until(
      page,
      () => document.querySelector('step-scope')?.shadowRoot?.querySelector('scope-reading') != null,
    );
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await idle(page);
    const empty = join(temporaryFolder(), 'empty');
    mkdirSync(empty);
    await dropFolder(page, 'scope-ways .zone', empty);
    await idle(page);
    assert.ok(await notice(page));
    await inspect(page, 'fault');
  });
});

test('a stall is found, opened and left with the keyboard alone', async () => {
  await withPage({ open: '#sample' }, async ({ page }) => {
    await idle(page);
    /** Tabs on until the focus is on an element that the selector names. @param {string} selector */
    const tabTo = async (selector) => {
      for (let i = 0; i < 60; i += 1) {
        await page.keyboard.press('Tab');
        const found = await page.evaluate((wanted) => {
          let focused = document.activeElement;
          while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
          return focused?.matches(wanted) ?? false;
        }, selector);
        if (found) return;
      }
      assert.fail(`the focus never gets to ${selector}`);
    };
    await tabTo('[aria-label="Members as a table"]');
    await page.keyboard.press('Enter');
    await idle(page);
    const marks = await rows(page);
    assert.ok(marks.length > 3, 'marks of the members');
    // The keyboard is in the table that was asked for.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await idle(page);
    assert.notEqual(await details(page), '');
    await page.locator('#tab-stalls').focus();
    await page.keyboard.press('Enter');
    await idle(page);
    await tabTo('[role=grid]');
    await page.keyboard.press('Enter');
    await idle(page);
    assert.match(await details(page), /1\.50 s between steps/);
    await page.keyboard.press('Escape');
    await idle(page);
  });
});
