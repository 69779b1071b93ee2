import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { python, reference } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { run, say } from '../../scripts/machine/run.mjs';
import { digest, isMadeFrom, stamp } from '../../scripts/machine/stamp.mjs';

const GENERATOR = join(root, 'tests', 'bench', 'generate_epoch.py');

/**
 * A hook directory with one busy engine epoch, made once and kept in .bench/.
 *
 * @param {number} mib size of its records
 * @returns {Promise<string>} its path
 */
export async function epochOf(mib) {
  await reference();
  const kept = join(root, '.bench');
  const folder = join(kept, `epoch-${mib}`);
  const log = join(folder, 'log');
  const madeFrom = digest([GENERATOR], [String(mib)]);
  if (isMadeFrom(folder, madeFrom) && existsSync(log)) return log;
  say(`writing an epoch of ${mib} MiB`);
  const half = join(kept, `half-${mib}.${process.pid}`);
  mkdirSync(half, { recursive: true });
  await run(python, [GENERATOR, join(half, 'log'), '--mib', String(mib)]);
  stamp(half, madeFrom);
  rmSync(folder, { recursive: true, force: true });
  renameSync(half, folder);
  return log;
}
