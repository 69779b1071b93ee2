import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ask, Failed, MissingPiece, run, say } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * A Chromium of the system: what the environment variable CHROMIUM names, else the first on the PATH.
 *
 * @returns {string | null} absolute path
 */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...places, ...ELSEWHERE].find(isProgram) ?? null;
}

/** A Chromium for the browser tests; installed where that is one apt-get away. */
export async function chromium() {
  if (findChromium() !== null) return;
  const advice =
    'Chromium for the browser tests; install it, or name it in the environment variable CHROMIUM';
  if (ask('apt-get', ['--version']) === null) throw new MissingPiece(advice);
  if (process.getuid?.() !== 0) throw new MissingPiece(`${advice} (sudo apt-get install chromium)`);
  say('installing Chromium (apt-get install chromium)');
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'chromium'], { env });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    throw new MissingPiece(`${advice}; apt-get did not get it, see above`);
  }
  if (findChromium() === null)
    throw new MissingPiece(`${advice}; apt-get installed none that is on the PATH`);
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
