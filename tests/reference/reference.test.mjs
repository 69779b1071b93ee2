import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fixtures } from '../../scripts/fixtures.mjs';
import { python, reference } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { stepscope } from './stepscope.mjs';

/** @param {string[]} words */
function succeeds(words) {
  const ran = spawnSync(python, words, { cwd: root, encoding: 'utf8' });
  equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
}

test('answers are compared by the rules of the conformance cases', async () => {
  await reference();
  succeeds(['tests/reference/compare_test.py']);
});

test('the oracle reproduces every conformance case', async () => {
  await reference();
  await fixtures();
  succeeds(['tests/reference/validate.py', 'fixtures/unpacked/cases']);
});

test('200 generated logs read, reduced and judged as the reference does', async () => {
  await reference();
  succeeds(['tests/reference/fuzz.py', '--stepscope', stepscope(), '--count', '200', '--seed', '200']);
});

test('200 growing logs imported three to ten times as the reference imports them', async () => {
  await reference();
  const words = ['--stepscope', stepscope(), '--count', '200', '--seed', '300', '--growing'];
  succeeds(['tests/reference/fuzz.py', ...words]);
});

test('what the recorder writes, the reference reads without a complaint and as we do', async () => {
  await reference();
  succeeds(['tests/reference/simulated.py', '--stepscope', stepscope()]);
});
