import { spawnSync } from 'node:child_process';
import { python } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { Failed, say } from '../../scripts/machine/run.mjs';
import { rust } from '../../scripts/machine/rust.mjs';
import { stepscope } from '../reference/stepscope.mjs';
import { epochOf, LARGE, SMALL } from './epochs.mjs';
import { model } from './model.mjs';
import { asMib, asSeconds, median } from './table.mjs';

const TIMES_REFERENCE = { one: 6, two: 10 };
/** Four times the log may take this many times as long. */
const GROWTH = 4.4;

/**
 * @typedef {{ seconds: number, peak: number }} Sample
 * @typedef {'one' | 'two' | 'reference'} Who
 * @typedef {{ bytes: number, samples: Record<Who, Sample[]> }} Measured
 */

/**
 * Read and diagnose of the same epochs by the command line and by the reference.
 *
 * @param {{ repetitions: number }} options
 * @returns {Promise<import('./table.mjs').Row[]>}
 */
export async function native({ repetitions }) {
  await rust();
  const program = stepscope({ release: true });
  const sizes = [SMALL, LARGE];
  const logs = [];
  for (const mib of sizes) logs.push(await epochOf(mib));
  say(`reading ${sizes.join(' and ')} MiB, ${repetitions} times each`);
  const measured = measure(program, repetitions, logs);

  const rows = [];
  for (const [at, one] of measured.entries()) {
    rows.push(...againstReference(`${sizes[at]} MiB`, one));
  }
  const [small, large] = measured;
  if (small !== undefined && large !== undefined)
    rows.push(growth('one', small, large), growth('two', small, large));
  for (const [at, one] of measured.entries()) rows.push(memory(`${sizes[at]} MiB`, one));
  rows.push(...model(String(logs.at(-1)), `${LARGE} MiB`));
  return rows;
}

/**
 * @param {string} program
 * @param {number} repetitions
 * @param {string[]} logs
 * @returns {Measured[]}
 */
function measure(program, repetitions, logs) {
  const ran = spawnSync(python, ['tests/bench/native.py', program, String(repetitions), ...logs], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
  if (ran.status !== 0) throw new Failed('the native benchmark could not be measured');
  return JSON.parse(ran.stdout);
}

/**
 * @param {Measured} measured
 * @param {Who} who
 * @param {'seconds' | 'peak'} figure
 */
function middle(measured, who, figure) {
  return median(measured.samples[who].map((sample) => sample[figure]));
}

/**
 * @param {string} size
 * @param {Measured} measured
 * @returns {import('./table.mjs').Row[]}
 */
function againstReference(size, measured) {
  const reference = middle(measured, 'reference', 'seconds');
  return /** @type {const} */ (['one', 'two']).map((threads) => {
    const ours = middle(measured, threads, 'seconds');
    const target = TIMES_REFERENCE[threads];
    return {
      what: `read + diagnose ${size}, ${threads} thread${threads === 'one' ? '' : 's'}`,
      ours: asSeconds(ours),
      against: `stormlog ${asSeconds(reference)}`,
      ratio: `${(reference / ours).toFixed(1)} × faster`,
      target: `≥ ${target} ×`,
      met: reference / ours >= target,
    };
  });
}

/**
 * @param {'one' | 'two'} threads
 * @param {Measured} small
 * @param {Measured} large
 * @returns {import('./table.mjs').Row}
 */
function growth(threads, small, large) {
  const [before, after] = [middle(small, threads, 'seconds'), middle(large, threads, 'seconds')];
  return {
    what: `four times the log, ${threads} thread${threads === 'one' ? '' : 's'}`,
    ours: asSeconds(after),
    against: `a quarter ${asSeconds(before)}`,
    ratio: `${(after / before).toFixed(2)} × the time`,
    target: `≤ ${GROWTH} ×`,
    met: after / before <= GROWTH,
  };
}

/**
 * @param {string} size
 * @param {Measured} measured
 * @returns {import('./table.mjs').Row}
 */
function memory(size, measured) {
  const ours = middle(measured, 'two', 'peak');
  return {
    what: `peak memory ${size}, two threads`,
    ours: asMib(ours),
    against: `stormlog ${asMib(middle(measured, 'reference', 'peak'))}`,
    ratio: `${(ours / measured.bytes).toFixed(2)} × the log`,
    target: '',
    met: null,
  };
}
