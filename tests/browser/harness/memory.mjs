import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Memory
 * @property {number} pid
 * @property {number} resident bytes now
 * @property {number} peak bytes, the most since the process began
 */

/**
 * Memory of the renderer processes, the largest first; a page and its workers are one of them. Linux only.
 *
 * @param {import('playwright-core').Browser} browser
 * @returns {Promise<Memory[]>}
 */
export async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => memoryOf(id))
    .filter((memory) => memory !== null)
    .sort((a, b) => b.resident - a.resident);
}

/**
 * @param {number} pid
 * @returns {Memory | null} null when it has ended since
 */
function memoryOf(pid) {
  let status;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT' && process.platform === 'linux')
      return null;
    throw error;
  }
  const bytes = (/** @type {string} */ field) =>
    1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return { pid, resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}
