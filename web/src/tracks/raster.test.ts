import { expect, test } from 'vitest';
import { ink, Raster } from './raster.js';

const red = ink('#ff0000');
const white = ink('#ffffff');

test('a colour is stored as the canvas reads it', () => {
  const raster = new Raster(1, 1);
  raster.fill(ink('#123456'));
  expect([...raster.bytes]).toEqual([0x12, 0x34, 0x56, 255]);
});

test('drawing beyond the edges is cut, not wrapped', () => {
  const raster = new Raster(4, 3);
  raster.fill(white);
  raster.rect(-5, 2, -5, 99, red);
  raster.rect(3, 99, 2, 3, red);
  raster.column(2, -4, 1, red);
  expect([...raster.pixels].map((pixel) => (pixel === red ? 'x' : '.')).join('')).toBe('xxx.xx..xx.x');
});

test('an empty rectangle draws nothing', () => {
  const raster = new Raster(2, 1);
  raster.fill(white);
  raster.rect(1, 1, 0, 1, red);
  raster.rect(5, 9, 0, 1, red);
  expect([...raster.pixels]).toEqual([white, white]);
});

test('between the strokes of a hatch the ground stays', () => {
  const raster = new Raster(8, 1);
  raster.fill(white);
  raster.hatch(0, 8, 0, 1, red, 4, 1);
  expect([...raster.pixels].map((pixel) => (pixel === red ? 'x' : '.')).join('')).toBe('x...x...');
});
