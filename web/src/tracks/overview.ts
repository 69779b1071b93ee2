/** The whole epoch in one strip: the longest step time of every pixel, stalls over their limit, pauses. */

import { endBin, type Frame, firstBin, greatest, pixelOf, stallOf } from './frame.js';
import { ink, type Surface } from './raster.js';

export const HEIGHT = 44;
const TOP = 3;
const BOTTOM = 3;
/** Step times are drawn from here up, on a logarithmic scale. */
const LEAST_NS = 1e6;

export function draw(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale, overview } = frame;
  raster.fill(ink(palette.ground));
  const top = Math.round(TOP * scale);
  const base = raster.height - Math.round(BOTTOM * scale);
  const height = base - top;
  let most = 50 * LEAST_NS;
  for (let bin = 0; bin < tracks.bins; bin += 1) most = Math.max(most, tracks.stepTime[bin] as number);
  const unit = height / Math.log2(most / LEAST_NS + 1);
  const stalls = [0, ink(palette.host), ink(palette.host), ink(palette.hostOrGpu), ink(palette.warmUp)];
  const bar = ink(palette.overview);
  for (const pause of overview.pauses) {
    const x0 = Math.floor(pixelOf(frame, pause.t0));
    const x1 = Math.max(Math.ceil(pixelOf(frame, pause.t1)), x0 + 1);
    raster.hatch(
      x0,
      x1,
      top,
      base,
      ink(palette.paused),
      Math.round(5 * scale),
      Math.max(1, Math.round(scale)),
    );
  }
  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const end = endBin(frame, x, first);
    const longest = greatest(tracks.stepTime, first, end);
    if (longest > 0) {
      const y = Math.round(base - Math.log2(longest / LEAST_NS + 1) * unit);
      raster.column(x, Math.min(y, base - 1), base, bar);
    }
    const stall = stallOf(tracks.stall, first, end);
    if (stall === 4) raster.hatch(x, x + 1, top, base, stalls[4] as number, Math.round(4 * scale), scale);
    else if (stall) {
      raster.column(x, top, base, stalls[stall] as number);
      // A single pixel would be lost beside the grey; the neighbour is overdrawn when nothing worse is there.
      if (x > 0) raster.column(x - 1, top, base, stalls[stall] as number);
    }
  }
  surface.flush();
}
