import { expect, test } from 'vitest';
import { nearEdge, serves, windowFor } from './window.js';

const bounds = { t0: 0, t1: 117.3e9 };
const PIXELS = 1100;

test('a window covers three times the range with bins of a power of two, none wider than a pixel', () => {
  for (let length = 20_000; length < 117e9; length *= 1.9) {
    const range = { t0: 50e9 - length / 2, t1: 50e9 + length / 2 };
    const window = windowFor(range, PIXELS, bounds);
    const bin = (window.t1 - window.t0) / window.width;
    expect(Math.log2(bin) % 1).toBe(0);
    expect(bin).toBeLessThanOrEqual(length / PIXELS);
    expect(window.width).toBeLessThanOrEqual(6 * PIXELS + 3);
    expect(window.t0).toBeLessThanOrEqual(Math.max(range.t0 - length, 0));
    expect(window.t1).toBeGreaterThanOrEqual(Math.min(range.t1 + length, bounds.t1));
    expect(serves(window, range, PIXELS, bounds)).toBe(true);
    expect(nearEdge(window, range, bounds)).toBe(false);
  }
});

test('panning by less than half the width asks for nothing', () => {
  const range = { t0: 50e9, t1: 60e9 };
  const window = windowFor(range, PIXELS, bounds);
  const moved = { t0: 54.9e9, t1: 64.9e9 };
  expect(serves(window, moved, PIXELS, bounds) && !nearEdge(window, moved, bounds)).toBe(true);
  expect(nearEdge(window, { t0: 56e9, t1: 66e9 }, bounds)).toBe(true);
});

test('zooming by less than two is drawn from what is here, by eight is not', () => {
  const range = { t0: 50e9, t1: 60e9 };
  const window = windowFor(range, PIXELS, bounds);
  expect(serves(window, { t0: 49e9, t1: 61e9 }, PIXELS, bounds)).toBe(true);
  expect(serves(window, { t0: 54.4e9, t1: 55.6e9 }, PIXELS, bounds)).toBe(false);
});

test('the ends of the epoch are no reason to ask again', () => {
  const range = { t0: 0, t1: 10e9 };
  expect(nearEdge(windowFor(range, PIXELS, bounds), range, bounds)).toBe(false);
});
