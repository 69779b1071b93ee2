/**
 * What is asked of the session for a visible range: three times as much, at a resolution that only changes by
 * powers of two, so that panning and small zooms draw what is already here.
 */

import type { Range } from './range.js';

export interface Window extends Range {
  /** Bins the session is asked for. */
  readonly width: number;
}

/** Power of two at or below `n`. */
function floorPower(n: number): number {
  return 2 ** Math.floor(Math.log2(n));
}

/** `pixels` are device pixels of the visible range. */
export function windowFor(range: Range, pixels: number, bounds: Range): Window {
  const length = range.t1 - range.t0;
  const t0 = Math.max(range.t0 - length, bounds.t0);
  const t1 = Math.min(range.t1 + length, bounds.t1);
  const binNs = floorPower(Math.max(length / pixels, 1));
  // From a multiple of the bin on: neighbouring windows then agree on every bin, and nothing flickers.
  const first = Math.floor(t0 / binNs) * binNs;
  const width = Math.max(Math.ceil((t1 - first) / binNs), 1);
  return { t0: first, t1: first + width * binNs, width };
}

/** Whether a window still draws the range well: it covers it and its bins are no wider than a pixel, nor tiny. */
export function serves(window: Window, range: Range, pixels: number, bounds: Range): boolean {
  const t0 = Math.max(range.t0, bounds.t0);
  const t1 = Math.min(range.t1, bounds.t1);
  if (window.t0 > t0 || window.t1 < t1) return false;
  const binNs = (window.t1 - window.t0) / window.width;
  const pixelNs = (range.t1 - range.t0) / pixels;
  return binNs <= Math.max(pixelNs, 1) && binNs * 4 > pixelNs;
}

/** Whether a fetch ahead of need is due: the range is nearer than half its length to an end of the window. */
export function nearEdge(window: Window, range: Range, bounds: Range): boolean {
  const half = (range.t1 - range.t0) / 2;
  const left = window.t0 > bounds.t0 && range.t0 - window.t0 < half;
  const right = window.t1 < bounds.t1 && window.t1 - range.t1 < half;
  return left || right;
}
