import { describe, expect, test } from 'vitest';
import { clock, ticks } from './axis.js';

const texts = (t0: number, t1: number, pixels = 1000): string[] =>
  ticks({ t0, t1 }, pixels).map(({ text }) => text);

describe('ticks', () => {
  test('seconds', () => {
    expect(texts(35e9, 48.5e9)).toEqual(['36 s', '38 s', '40 s', '42 s', '44 s', '46 s', '48 s']);
  });

  test('parts of a second have the places they need', () => {
    expect(texts(36.9e9, 36.91e9).slice(0, 3)).toEqual(['36.900 s', '36.901 s', '36.902 s']);
  });

  test('minutes and hours', () => {
    expect(texts(0, 3600e9).slice(0, 3)).toEqual(['0:00', '10:00', '20:00']);
    expect(texts(7200e9, 36000e9)[0]).toBe('2:00:00');
  });

  test('stand apart whatever the zoom', () => {
    for (let length = 100; length < 1e15; length *= 1.7) {
      const list = ticks({ t0: 12345, t1: 12345 + length }, 800);
      expect(list.length).toBeLessThanOrEqual(9);
      for (let i = 1; i < list.length; i += 1) {
        const apart = (((list[i]?.t ?? 0) - (list[i - 1]?.t ?? 0)) / length) * 800;
        expect(apart).toBeGreaterThanOrEqual(91.9);
        expect(list[i]?.text).not.toBe(list[i - 1]?.text);
      }
    }
  });

  test('none of an empty range', () => {
    expect(texts(5, 5)).toEqual([]);
  });
});

test('a clock carries', () => {
  expect(clock(59.9999e9, 3)).toBe('1:00.000');
  expect(clock(3599.9999e9)).toBe('1:00:00');
  expect(clock(-61e9)).toBe('−1:01');
});
