/** Where the records are known to be whole, where not, and where the writer was silent or gone. */

import { endBin, type Frame, firstBin } from './frame.js';
import { ink, type Surface } from './raster.js';

export const HEIGHT = 18;
const TOP = 6;
const STRIP = 6;

/** Worst first: a pixel shows the worst it holds. */
const WORST = [3, 2, 4, 1] as const;

export function draw(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale } = frame;
  raster.rows(frame.background);
  const y0 = Math.round(TOP * scale);
  const y1 = Math.round((TOP + STRIP) * scale);
  const thin = Math.max(1, Math.round(scale));
  const middle = Math.round((y0 + y1) / 2);
  const known = ink(palette.known);
  const notKnown = ink(palette.notKnown);
  const silent = ink(palette.silent);
  const after = ink(palette.edge);
  const period = Math.round(5 * scale);
  const stroke = Math.max(1, Math.round(2 * scale));
  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const kind = worst(tracks.coverage, first, endBin(frame, x, first));
    if (kind === 1) raster.column(x, y0, y1, known);
    else if (kind === 2) raster.hatch(x, x + 1, y0, y1, notKnown, period, stroke);
    else if (kind === 3) {
      raster.column(x, y0, y0 + thin, silent);
      raster.column(x, y1 - thin, y1, silent);
    } else if (kind === 4) raster.column(x, middle, middle + thin, after);
  }
  surface.flush();
}

export function worst(coverage: Uint8Array, first: number, end: number): number {
  let seen = 0;
  for (let bin = first; bin < end; bin += 1) seen |= 1 << (coverage[bin] as number);
  for (const kind of WORST) if (seen & (1 << kind)) return kind;
  return 0;
}
