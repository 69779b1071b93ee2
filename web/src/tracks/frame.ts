/** What every track needs to draw one frame. */

import type { Overview, Tracks } from '../session/answers.js';
import type { Palette } from '../theme/palette.js';
import type { Range } from '../view/range.js';
import { type Ink, ink } from './raster.js';

export interface Frame {
  readonly range: Range;
  readonly bounds: Range;
  /** Device pixels of the width. */
  readonly pixels: number;
  /** Device pixels a CSS pixel. */
  readonly scale: number;
  readonly tracks: Tracks;
  readonly overview: Overview;
  readonly palette: Palette;
  /** First bin of each device pixel, one more than pixels; see `edges`. */
  readonly edges: Int32Array;
  /** Background of each device pixel: the ground, or a stall's band. */
  readonly background: Uint32Array;
}

/** The device pixel of a time, not rounded. */
export function pixelOf(frame: Pick<Frame, 'range' | 'pixels'>, t: number): number {
  return ((t - frame.range.t0) / (frame.range.t1 - frame.range.t0)) * frame.pixels;
}

/**
 * The bins of pixel `x` are `edges[x]` up to `edges[x + 1]`, at least one; every bin is in some pixel. Pixels outside
 * the bins get an empty share at one end.
 */
export function edges(
  range: Range,
  pixels: number,
  tracks: Pick<Tracks, 't0' | 'binNs' | 'bins'>,
): Int32Array {
  const list = new Int32Array(pixels + 1);
  const pixelNs = (range.t1 - range.t0) / pixels;
  for (let x = 0; x <= pixels; x += 1) {
    const bin = Math.floor((range.t0 + x * pixelNs - tracks.t0) / tracks.binNs);
    list[x] = Math.min(Math.max(bin, 0), tracks.bins);
  }
  return list;
}

/** First bin of a pixel, or -1 when it has none. */
export function firstBin(frame: Pick<Frame, 'edges' | 'tracks' | 'range' | 'pixels'>, x: number): number {
  const bin = frame.edges[x] as number;
  if (bin >= frame.tracks.bins) return -1;
  if (bin === 0) {
    const end = frame.range.t0 + ((x + 1) / frame.pixels) * (frame.range.t1 - frame.range.t0);
    if (end <= frame.tracks.t0) return -1;
  }
  return bin;
}

/** The bin after the last one of a pixel. */
export function endBin(frame: Pick<Frame, 'edges'>, x: number, first: number): number {
  const end = frame.edges[x + 1] as number;
  return end > first ? end : first + 1;
}

/** Greatest value of the bins from `first` up to `end`. */
export function greatest(
  values: Float32Array | Uint8Array | Uint32Array,
  first: number,
  end: number,
): number {
  let most = values[first] as number;
  for (let bin = first + 1; bin < end; bin += 1) {
    const value = values[bin] as number;
    if (value > most) most = value;
  }
  return most;
}

export function mean(values: Float32Array, first: number, end: number): number {
  let sum = 0;
  for (let bin = first; bin < end; bin += 1) sum += values[bin] as number;
  return sum / (end - first);
}

/** Which stall matters most in a pixel: any real one before a warm-up. */
export function stallOf(stall: Uint8Array, first: number, end: number): number {
  let kind = 0;
  for (let bin = first; bin < end; bin += 1) {
    const here = stall[bin] as number;
    if (here !== 0 && (kind === 0 || kind === 4 || here === 3)) kind = here;
    if (here === 1 || here === 2) return here;
  }
  return kind;
}

/** Narrower bands than this are not outlined: they would be all outline. Device pixels. */
const OUTLINED = 5;

/** The background of every pixel: bands of stalls, outlined, go through all tracks. */
export function backgrounds(
  frame: Pick<Frame, 'edges' | 'tracks' | 'range' | 'pixels' | 'palette'>,
): Uint32Array {
  const { palette, tracks, pixels } = frame;
  const { hostBand, hostOrGpuBand, warmUpBand, hostEdge, hostOrGpuEdge, warmUpEdge } = palette;
  const bands = [palette.ground, hostBand, hostBand, hostOrGpuBand, warmUpBand].map(ink);
  const outlines = [palette.ground, hostEdge, hostEdge, hostOrGpuEdge, warmUpEdge].map(ink);
  const row = new Uint32Array(pixels).fill(bands[0] as Ink);
  let kind = 0;
  let from = 0;
  for (let x = 0; x <= pixels; x += 1) {
    const first = x < pixels ? firstBin(frame, x) : -1;
    const here = first < 0 ? 0 : stallOf(tracks.stall, first, endBin(frame, x, first));
    if (here === kind) continue;
    if (kind !== 0) {
      row.fill(bands[kind] as Ink, from, x);
      // A band that goes on beyond the edge of the view has no end there.
      if (x - from >= OUTLINED && from > 0) row[from] = outlines[kind] as Ink;
      if (x - from >= OUTLINED && x < pixels) row[x - 1] = outlines[kind] as Ink;
    }
    kind = here;
    from = x;
  }
  return row;
}
