/**
 * `npm run bench`: every part in order, then one table. `npm run bench -- native` runs the parts of these names alone;
 * `--repetitions N` how often each is measured (5). Ends with 1 when a target is missed, unless `--no-fail` is given.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Failed, giveUp } from '../../scripts/machine/run.mjs';
import { native } from './native.mjs';
import { page } from './page.mjs';
import { recorder } from './recorder.mjs';
import { reduce } from './reduce.mjs';
import { table } from './table.mjs';

/** @type {Record<string, (options: { repetitions: number }) => Promise<import('./table.mjs').Row[]>>} */
const PARTS = { native, reduce, recorder, page };

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      repetitions: { type: 'string', default: '5' },
      'no-fail': { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => !(name in PARTS));
  if (unknown !== undefined)
    throw new Failed(`no part ${unknown}; there are ${Object.keys(PARTS).join(', ')}`);
  const load = loadavg()[0] ?? 0;
  const rows = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (positionals.length === 0 || positionals.includes(name)) {
      rows.push(...(await part({ repetitions: Number(values.repetitions) })));
    }
  }
  console.log(
    `\n${cpus()[0]?.model ?? 'processor unknown'}, ${cpus().length} cores, load ${load.toFixed(1)} before; medians\n`,
  );
  console.log(table(rows));
  const missed = rows.filter((row) => row.met === false).length;
  if (missed > 0 && !values['no-fail'])
    throw new Failed(`${missed} ${missed === 1 ? 'target' : 'targets'} missed`);
} catch (error) {
  giveUp(error);
}
