/** The ways a user brings a log into the page, driven for real: the browser itself reads the disk. */

/**
 * Drags files or folders of the disk over an element and drops them there.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} selector
 * @param {string | string[]} paths absolute
 */
export async function drop(page, selector, paths) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`nothing to drop on: ${selector} is not shown`);
  const data = { items: [], files: [paths].flat(), dragOperationsMask: 1 };
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  for (const type of /** @type {const} */ (['dragEnter', 'dragOver', 'drop'])) {
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  }
  await session.detach();
}

/**
 * Drops one folder. The page sees a directory entry, as from a file manager.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} selector
 * @param {string} folder absolute
 */
export async function dropFolder(page, selector, folder) {
  await drop(page, selector, folder);
}

/**
 * Chooses a folder, or files, in an `<input type="file">`.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} selector of the input
 * @param {string | string[]} paths absolute; one folder when the input takes folders
 */
export async function pick(page, selector, paths) {
  await page.locator(selector).setInputFiles(paths);
}
