import { expect, test } from 'vitest';
import type { StallRow } from '../session/answers.js';
import { lines, placeOf } from './stalls.js';

const stall = (index: number, t0: number, durationNs: number, ratio: number, more: Partial<StallRow> = {}) =>
  ({ index, t0, durationNs, ratio, warmUp: false, lateHeartbeat: false, ...more }) as StallRow;

const stalls = [
  stall(0, 5, 9000, 40, { warmUp: true }),
  stall(1, 10, 100, 2),
  stall(2, 20, 300, 1.5),
  stall(3, 30, 200, 9),
  stall(4, 40, 900, 0, { lateHeartbeat: true }),
];

const shape = (order: 'time' | 'length' | 'ratio') =>
  lines(stalls, order).map((line) => ('heading' in line ? '#' : line.index));

test('warm-up and late heartbeats stand apart, under their own heads, in every order', () => {
  expect(shape('ratio')).toEqual([3, 1, 2, '#', 0, '#', 4]);
  expect(shape('length')).toEqual([2, 3, 1, '#', 0, '#', 4]);
  expect(shape('time')).toEqual([1, 2, 3, '#', 0, '#', 4]);
});

test('a selection is found by its index', () => {
  expect(placeOf(lines(stalls, 'ratio'), 0)).toBe(4);
  expect(placeOf(lines(stalls, 'ratio'), 99)).toBeNull();
});
