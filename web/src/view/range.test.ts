import { describe, expect, test } from 'vitest';
import { around, CLOSEST_NS, pan, reveal, within, zoom } from './range.js';

const bounds = { t0: 0, t1: 100e9 };

describe('zoom', () => {
  test('keeps the time under the pointer where it is', () => {
    const before = { t0: 20e9, t1: 40e9 };
    const after = zoom(before, 25e9, 0.5, bounds);
    expect(after).toEqual({ t0: 22.5e9, t1: 32.5e9 });
  });

  test('ends at the bounds and at the closest', () => {
    expect(zoom({ t0: 20e9, t1: 40e9 }, 30e9, 1000, bounds)).toEqual(bounds);
    const closest = zoom({ t0: 20e9, t1: 40e9 }, 30e9, 1e-12, bounds);
    expect(closest.t1 - closest.t0).toBeCloseTo(CLOSEST_NS, 3);
    expect(closest.t0).toBeLessThanOrEqual(30e9);
    expect(closest.t1).toBeGreaterThanOrEqual(30e9);
  });
});

test('pan keeps the length at the ends', () => {
  expect(pan({ t0: 10e9, t1: 20e9 }, -50e9, bounds)).toEqual({ t0: 0, t1: 10e9 });
  expect(pan({ t0: 10e9, t1: 20e9 }, 500e9, bounds)).toEqual({ t0: 90e9, t1: 100e9 });
});

test('an epoch of one instant still has a range with a length', () => {
  const one = within({ t0: 0, t1: 0 }, { t0: 0, t1: 0 });
  expect(one.t1).toBeGreaterThan(one.t0);
});

test('around gives what is asked for a quarter of the width', () => {
  expect(around(50e9, 51e9, bounds)).toEqual({ t0: 48.5e9, t1: 52.5e9 });
});

test('reveal moves only when it must', () => {
  const range = { t0: 10e9, t1: 20e9 };
  expect(reveal(range, 15e9, bounds)).toBe(range);
  expect(reveal(range, 50e9, bounds)).toEqual({ t0: 45e9, t1: 55e9 });
});
