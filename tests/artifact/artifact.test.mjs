import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fixtures } from '../../scripts/fixtures.mjs';
import { python, reference } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { stepscope } from '../reference/stepscope.mjs';
import { examples } from './examples.mjs';

const stormlog = join(dirname(python), 'stormlog');

/** @param {string[]} words */
function succeeds(words) {
  const ran = spawnSync(python, words, { cwd: root, encoding: 'utf8' });
  equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
}

test('2,000 artifacts, sound and damaged, are read as the reference reads them', async () => {
  await reference();
  succeeds(['tests/artifact/rows.py', '--judge', examples()['judge'] ?? '', '--count', '2000']);
});

test('growing logs are imported as by the reference, and by both programs in turn', async () => {
  await reference();
  await fixtures();
  const words = ['tests/artifact/imports.py', '--import', examples()['import'] ?? ''];
  succeeds([...words, '--cases', 'fixtures/unpacked/cases', '--count', '150']);
});

test('logs are imported as they grow, step by step, while the client goes on writing', async () => {
  await reference();
  const words = ['tests/artifact/imports.py', '--import', examples()['import'] ?? '', '--growing'];
  succeeds([...words, '--count', '60', '--seed', '4']);
});

test('stalls are rebuilt from the steps of artifacts as the reference rebuilds them', async () => {
  await reference();
  await fixtures();
  const words = ['tests/artifact/kept.py', '--stepscope', stepscope()];
  const logs = ['pause_reset', 'crashed', 'multi'];
  succeeds([...words, '--cases', 'fixtures/unpacked/cases', '--count', '100', ...logs]);
});

test('the commands of stormlog take artifacts of real logs and go on where they stopped', async () => {
  await reference();
  await fixtures();
  const words = [
    'tests/artifact/commands.py',
    '--import',
    examples()['import'] ?? '',
    '--stormlog',
    stormlog,
  ];
  succeeds([...words, 'crashed', 'killed_torn', 'multi', '--grow', 'pause_reset']);
});
