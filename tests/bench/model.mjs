import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ask, Failed } from '../../scripts/machine/run.mjs';

/** Bytes the model may hold for each member of a step. */
const A_MEMBERSHIP = 64;

/**
 * How large the model of an epoch is.
 *
 * @param {string} log a hook directory with one epoch
 * @param {string} size
 * @returns {import('./table.mjs').Row[]}
 */
export function model(log, size) {
  const [epoch = ''] = readdirSync(log).flatMap((host) =>
    readdirSync(join(log, host)).map((name) => join(log, host, name)),
  );
  const words = [
    'run',
    '--release',
    '--quiet',
    '--package',
    'stepscope-epoch-log',
    '--example',
    'throughput',
  ];
  const told =
    ask('cargo', [...words, '--', epoch])
      ?.split('\n')
      .at(-1) ?? '';
  const [, memberships, bytes] = /(\d+) memberships, ([\d.]+) bytes each/.exec(told) ?? [];
  if (bytes === undefined) throw new Failed(`the model of ${epoch} could not be measured: ${told}`);
  return [
    {
      what: `the model of ${Number(memberships).toLocaleString('en')} memberships, ${size}`,
      ours: `${bytes} bytes each`,
      against: '',
      ratio: '',
      target: `≤ ${A_MEMBERSHIP}`,
      met: Number(bytes) <= A_MEMBERSHIP,
    },
  ];
}
