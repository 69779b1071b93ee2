import { expect, test } from 'vitest';
import * as format from './format.js';

test.each([
  [0, '0 ns'],
  [999, '999 ns'],
  [999.6, '1.00 µs'],
  [70_600, '70.6 µs'],
  [812_000_000, '812 ms'],
  [999_499_999, '999 ms'],
  [999_500_000, '1.00 s'],
  [1_500_000_000, '1.50 s'],
  [9_996_000_000, '10.0 s'],
  [99_949_000_000, '99.9 s'],
  [99_950_000_000, '1 m 40 s'],
  [117_000_000_000, '1 m 57 s'],
  [3_599_400_000_000, '59 m 59 s'],
  [3_600_000_000_000, '1 h 0 m'],
  [-12_000_000, '−12.0 ms'],
])('%d ns is %s', (ns, text) => {
  expect(format.duration(ns)).toBe(text);
});

test('bytes, counts and ratios', () => {
  expect(format.bytes(999)).toBe('999 B');
  expect(format.bytes(22_378_735)).toBe('22.4 MB');
  expect(format.bytes(999_999)).toBe('1.00 MB');
  expect(format.count(12269)).toBe('12,269');
  expect(format.counted(1, 'step')).toBe('1 step');
  expect(format.counted(2, 'step')).toBe('2 steps');
  expect(format.ratio(21.26)).toBe('21.3');
  expect(format.ratio(1234.5)).toBe('1,235');
});

test('a range has as many places as its length deserves', () => {
  expect(format.between(35e9, 48.5e9)).toBe('35.0 – 48.5 s');
  expect(format.between(28.7192e9, 32.1411e9)).toBe('28.72 – 32.14 s');
  expect(format.between(1e9, 1.00002e9)).toBe('1.000000 – 1.000020 s');
});

test('wall times are UTC', () => {
  expect(format.timeOfDay(1_796_067_384_112)).toBe('19:36:24');
  expect(format.dateTime(1_796_067_384_112)).toBe('2026-11-30 19:36:24');
});
