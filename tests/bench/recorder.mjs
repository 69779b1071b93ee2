import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { python, reference } from '../../scripts/machine/reference.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { Failed, say } from '../../scripts/machine/run.mjs';
import { rust } from '../../scripts/machine/rust.mjs';
import { built } from '../reference/stepscope.mjs';
import { median } from './table.mjs';

/** One step costs at most this part of what it costs with the reference's recorder. */
const PART = 15;
const ALLOCATIONS = 4;
const MB_PER_SECOND = 300;

/**
 * @typedef {object} Ours
 * @property {number} engine_ns_per_step
 * @property {number} engine_ns_per_step_p99
 * @property {number} engine_allocations_per_step
 * @property {number} engine_bytes_per_step
 * @property {number} engine_dropped
 * @property {number} writer_mb_per_s
 */

/**
 * @typedef {object} Theirs
 * @property {number} engine_ns_per_step
 * @property {number} engine_bytes_per_step
 * @property {number} steps
 * @property {number} steps_recorded
 * @property {number} last_kept
 */

/**
 * What recording a step of 256 members costs the engine's thread, in turn with the reference, and the writer's speed.
 *
 * @param {{ repetitions: number }} options
 * @returns {Promise<import('./table.mjs').Row[]>}
 */
export async function recorder({ repetitions }) {
  await rust();
  await reference();
  const program = built(['--package', 'stepscope-recorder', '--example', 'speed', '--release'], 'speed');
  // Memory, where there is a file system of it: what is measured is the recorder, not a disk.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'stepscope-bench-'));
  say(`recording steps of 256 members, ${repetitions} times`);
  const ours = [];
  const theirs = [];
  try {
    for (let at = 0; at < repetitions; at += 1) {
      ours.push(/** @type {Ours} */ (measured(program, [folder])));
      const epoch = join(folder, `reference-${at}`);
      const words = ['-W', 'ignore', 'tests/bench/recorder_reference.py', epoch];
      theirs.push(/** @type {Theirs} */ (measured(python, words)));
      rmSync(epoch, { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const one of ours) same(one, theirs);
  return rows(ours, theirs);
}

/** @param {string} program @param {string[]} words @returns {unknown} what it prints */
function measured(program, words) {
  const ran = spawnSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (ran.status !== 0) throw new Failed('recording could not be measured');
  return JSON.parse(ran.stdout);
}

/** Both recorded every step whole, and the same ones. @param {Ours} one @param {Theirs[]} theirs */
function same(one, theirs) {
  if (one.engine_dropped > 0) throw new Failed(`${one.engine_dropped} records of the recorder were dropped`);
  for (const { steps, steps_recorded, last_kept, engine_bytes_per_step } of theirs) {
    if (steps_recorded !== steps || last_kept !== 256) throw new Failed('the reference lost records');
    const difference = Math.abs(engine_bytes_per_step / one.engine_bytes_per_step - 1);
    if (difference > 0.02) throw new Failed('the two recorders wrote steps of different sizes');
  }
}

/**
 * @param {Ours[]} ours
 * @param {Theirs[]} theirs
 * @returns {import('./table.mjs').Row[]}
 */
function rows(ours, theirs) {
  const step = median(ours.map((one) => one.engine_ns_per_step));
  const against = median(theirs.map((one) => one.engine_ns_per_step));
  const allocations = Math.max(...ours.map((one) => one.engine_allocations_per_step));
  const speed = median(ours.map((one) => one.writer_mb_per_s));
  return [
    {
      what: 'record a step of 256 members, on the engine thread',
      ours: microseconds(step),
      against: `stormlog ${microseconds(against)}`,
      ratio: `${(against / step).toFixed(1)} × less`,
      target: `≥ ${PART} ×`,
      met: against / step >= PART,
    },
    {
      what: 'the same, 99th percentile',
      ours: microseconds(median(ours.map((one) => one.engine_ns_per_step_p99))),
      against: '',
      ratio: '',
      target: '',
      met: null,
    },
    {
      what: 'allocations in a step, at most',
      ours: String(allocations),
      against: '',
      ratio: '',
      target: `≤ ${ALLOCATIONS}`,
      met: allocations <= ALLOCATIONS,
    },
    {
      what: 'the writer, to memory',
      ours: `${speed.toFixed(0)} MB/s`,
      against: '',
      ratio: '',
      target: `≥ ${MB_PER_SECOND} MB/s`,
      met: speed >= MB_PER_SECOND,
    },
  ];
}

/** @param {number} ns */
const microseconds = (ns) => `${(ns / 1000).toFixed(0)} µs`;
