import { describe, expect, test } from 'vitest';
import { light } from '../theme/palette.js';
import { worst } from './coverage.js';
import { backgrounds, edges, endBin, firstBin, greatest, stallOf } from './frame.js';

import { heightOf, inSight } from './members.js';
import { ink } from './raster.js';

function frame(range: { t0: number; t1: number }, pixels: number, t0: number, binNs: number, bins: number) {
  const tracks = { t0, binNs, bins } as never as Parameters<typeof firstBin>[0]['tracks'];
  return { range, pixels, tracks, edges: edges(range, pixels, tracks) };
}

describe('bins of pixels', () => {
  test('every bin in sight is in some pixel, whatever the zoom', () => {
    for (const length of [100, 700, 1024, 1500, 4000]) {
      const f = frame({ t0: 333, t1: 333 + length }, 128, 0, 8, 1000);
      const seen = new Set<number>();
      for (let x = 0; x < 128; x += 1) {
        const first = firstBin(f, x);
        expect(first).toBeGreaterThanOrEqual(0);
        for (let bin = first; bin < endBin(f, x, first); bin += 1) seen.add(bin);
      }
      for (let bin = Math.ceil(333 / 8); bin < Math.floor((333 + length) / 8); bin += 1) {
        expect(seen.has(bin), `bin ${bin} of ${length}`).toBe(true);
      }
    }
  });

  test('pixels outside the bins have none', () => {
    const f = frame({ t0: 0, t1: 1000 }, 100, 200, 8, 50);
    expect(firstBin(f, 0)).toBe(-1);
    expect(firstBin(f, 19)).toBe(-1);
    expect(firstBin(f, 20)).toBe(0);
    expect(firstBin(f, 59)).toBe(48);
    expect(firstBin(f, 60)).toBe(-1);
  });
});

test('the greatest of a pixel, never a mean', () => {
  expect(greatest(Float32Array.of(1, 9, 2), 0, 3)).toBe(9);
});

test('a stall is seen before a warm-up, the host’s before the one that may be the GPU’s', () => {
  expect(stallOf(Uint8Array.of(4, 0, 3), 0, 3)).toBe(3);
  expect(stallOf(Uint8Array.of(3, 1, 0), 0, 3)).toBe(1);
  expect(stallOf(Uint8Array.of(4, 0, 0), 0, 3)).toBe(4);
  expect(stallOf(Uint8Array.of(0, 0, 0), 0, 3)).toBe(0);
});

test('a stall is a band of every pixel it touches, outlined where it begins and ends', () => {
  const f = frame({ t0: 0, t1: 160 }, 20, 0, 8, 20);
  const stall = new Uint8Array(20);
  stall.fill(1, 4, 12);
  stall[15] = 3;
  const row = backgrounds({ ...f, palette: light, tracks: { ...f.tracks, stall } });
  const names = new Map([
    [ink(light.ground), '.'],
    [ink(light.hostBand), 'h'],
    [ink(light.hostEdge), '|'],
    [ink(light.hostOrGpuBand), 'g'],
  ]);
  expect([...row].map((pixel) => names.get(pixel)).join('')).toBe('....|hhhhhh|...g....');
});

test('coverage shows the worst a pixel holds', () => {
  expect(worst(Uint8Array.of(1, 2, 1), 0, 3)).toBe(2);
  expect(worst(Uint8Array.of(1, 3, 2), 0, 3)).toBe(3);
  expect(worst(Uint8Array.of(1, 1), 0, 2)).toBe(1);
  expect(worst(Uint8Array.of(0), 0, 1)).toBe(0);
});

test('lanes in sight', () => {
  expect(inSight(0, 170, 1000)).toEqual({ first: 0, end: 11 });
  expect(inSight(heightOf(1000) - 170, 170, 1000).end).toBe(1000);
  expect(inSight(0, 170, 0)).toEqual({ first: 0, end: 0 });
});
