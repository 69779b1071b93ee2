import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { python, reference } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { run, say } from '../../scripts/machine/run.mjs';
import { digest, isMadeFrom, stamp } from '../../scripts/machine/stamp.mjs';

/** The two sizes everything is measured at, MiB of records. */
export const SMALL = 64;
export const LARGE = 256;

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

/** The segment files of a hook directory, absolute. @param {string} log */
function segmentsOf(log) {
  return readdirSync(log, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(log, name));
}

/** Bytes of its records. @param {string} log a hook directory */
export function bytesOf(log) {
  return segmentsOf(log).reduce((sum, segment) => sum + statSync(segment).size, 0);
}

/** How many members its steps have together. @param {string} log a hook directory */
export function membershipsOf(log) {
  // Of all records only members have this field.
  const field = '"sighting":';
  let count = 0;
  for (const segment of segmentsOf(log)) {
    const bytes = readFileSync(segment);
    for (let at = bytes.indexOf(field); at >= 0; at = bytes.indexOf(field, at + 1)) count += 1;
  }
  return count;
}
