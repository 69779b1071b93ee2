import { spawnSync } from 'node:child_process';
import { python } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { Failed, say } from '../../scripts/machine/run.mjs';
import { rust } from '../../scripts/machine/rust.mjs';
import { built } from '../reference/stepscope.mjs';
import { epochOf, LARGE, SMALL } from './epochs.mjs';
import { asMib, asSeconds, median } from './table.mjs';

const TIMES_REFERENCE = { unwritten: 60, written: 30 };
/** Four times the log may take this many times as long. */
const GROWTH = 4.4;
/** Resident bytes for each byte of the log. */
const MEMORY = 1.5;

const WORDS = { unwritten: 'read + reduce + diagnose', written: 'the same + the artifact' };
const BOTH = /** @type {const} */ (['unwritten', 'written']);

/**
 * @typedef {{ seconds: number, processor: number, peak: number }} Sample
 * @typedef {{ bytes: number, unwritten: Sample[], written: Sample[] }} Size
 * @typedef {{ small: Size, large: Size, reference: { unwritten: number, written: number } }} Measured
 */

/**
 * A log of which every step is kept: read, reduced, judged and written, by one thread and by the reference.
 *
 * @param {{ repetitions: number }} options
 * @returns {Promise<import('./table.mjs').Row[]>}
 */
export async function reduce({ repetitions }) {
  await rust();
  const words = ['--package', 'stepscope-artifact', '--example', 'throughput', '--release'];
  const program = built(words, 'throughput');
  const logs = [await epochOf(SMALL), await epochOf(LARGE)];
  say(`reducing ${SMALL} and ${LARGE} MiB, ${repetitions} times each; ${SMALL} MiB once by the reference`);
  const { small, large, reference } = measure(program, repetitions, logs);
  return [
    ...BOTH.map((what) => against(what, small, reference[what])),
    ...BOTH.map((what) => growth(what, small, large)),
    memory(`${SMALL} MiB`, small),
    memory(`${LARGE} MiB`, large),
  ];
}

/**
 * @param {string} program
 * @param {number} repetitions
 * @param {string[]} logs
 * @returns {Measured}
 */
function measure(program, repetitions, logs) {
  const ran = spawnSync(python, ['tests/bench/reduce.py', program, String(repetitions), ...logs], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
  if (ran.status !== 0) throw new Failed('reducing could not be measured');
  return JSON.parse(ran.stdout);
}

/**
 * @param {Sample[]} samples
 * @param {'seconds' | 'processor'} figure
 */
const middle = (samples, figure) => median(samples.map((sample) => sample[figure]));

/**
 * @param {'unwritten' | 'written'} what
 * @param {Size} small
 * @param {number} theirs seconds
 * @returns {import('./table.mjs').Row}
 */
function against(what, small, theirs) {
  const ours = middle(small[what], 'seconds');
  const target = TIMES_REFERENCE[what];
  return {
    what: `${WORDS[what]} ${SMALL} MiB, every step kept, one thread`,
    ours: asSeconds(ours),
    against: `stormlog, once ${asSeconds(theirs)}`,
    ratio: `${(theirs / ours).toFixed(1)} × faster`,
    target: `≥ ${target} ×`,
    met: theirs / ours >= target,
  };
}

/**
 * How the processor time grows: what else the machine does is not in it.
 *
 * @param {'unwritten' | 'written'} what
 * @param {Size} small
 * @param {Size} large
 * @returns {import('./table.mjs').Row}
 */
function growth(what, small, large) {
  const [before, after] = [middle(small[what], 'processor'), middle(large[what], 'processor')];
  return {
    what: `four times the log, ${WORDS[what]}, processor time`,
    ours: asSeconds(after),
    against: `a quarter ${asSeconds(before)}`,
    ratio: `${(after / before).toFixed(2)} × the time`,
    target: `≤ ${GROWTH} ×`,
    met: after / before <= GROWTH,
  };
}

/**
 * @param {string} name
 * @param {Size} size
 * @returns {import('./table.mjs').Row}
 */
function memory(name, size) {
  const peak = Math.max(...BOTH.flatMap((what) => size[what].map((sample) => sample.peak)));
  return {
    what: `peak memory of reducing and writing ${name}`,
    ours: asMib(peak),
    against: '',
    ratio: `${(peak / size.bytes).toFixed(2)} × the log`,
    target: `≤ ${MEMORY} ×`,
    met: peak / size.bytes <= MEMORY,
  };
}
