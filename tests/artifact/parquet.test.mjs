import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fixtures } from '../../scripts/fixtures.mjs';
import { parquetReaders, python } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { stepscope } from '../reference/stepscope.mjs';

test('DuckDB and Polars read the tables of real logs, with the counts of the command line', async () => {
  await parquetReaders();
  await fixtures();
  const logs = ['stalls', 'preempt', 'pause_reset', 'multi', 'crashed'];
  const words = ['tests/artifact/parquet.py', '--stepscope', stepscope(), ...logs];
  const ran = spawnSync(python, words, { cwd: root, encoding: 'utf8' });
  equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
});
