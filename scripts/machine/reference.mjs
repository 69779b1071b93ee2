import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { ask, Failed, MissingPiece, run, say } from './run.mjs';
import { digest, isMadeFrom, stamp } from './stamp.mjs';

/** The reader and reducer whose results ours equal, value for value. */
const STORMLOG = 'stormlog==0.4.3';

const folder = join(root, '.venv');

/** The Python that has the reference; there after `reference()`. */
export const python =
  process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');

/** A Python environment of our own with the reference, for the tests that run it. */
export async function reference() {
  const base = ['python3', 'python'].find(
    (name) => ask(name, ['-c', 'import sys; assert sys.version_info >= (3, 10)']) !== null,
  );
  if (base === undefined) throw new MissingPiece('Python 3.10 or newer, for the tests against stormlog');
  const madeFrom = digest([], [STORMLOG, ask(base, ['-c', 'import sys; print(sys.version)']) ?? '']);
  if (isMadeFrom(folder, madeFrom) && existsSync(python)) return;
  say(`installing ${STORMLOG} into .venv`);
  try {
    await run(base, ['-m', 'venv', '--clear', folder]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', STORMLOG]);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    throw new MissingPiece(`${STORMLOG}, for the tests that compare with it; pip did not get it, see above`);
  }
  stamp(folder, madeFrom);
}
