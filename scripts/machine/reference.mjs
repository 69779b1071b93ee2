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

/** What reads the Parquet tables in the tests, as their users would. */
const READERS = ['duckdb==2.0.1', 'polars==2.1.0'];

/** The same environment with the readers of Parquet. */
export async function parquetReaders() {
  await reference();
  const vouched = join(folder, 'parquet-readers');
  const madeFrom = digest([], READERS);
  if (isMadeFrom(vouched, madeFrom)) return;
  say(`installing ${READERS.join(' and ')} into .venv`);
  try {
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...READERS]);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    throw new MissingPiece(
      `${READERS.join(' and ')}, for the test of the Parquet tables; pip did not get them, see above`,
    );
  }
  stamp(vouched, madeFrom);
}
