/** Requests that run and that wait, the seats line. */

import { counted } from '../view/format.js';
import { endBin, type Frame, firstBin, greatest } from './frame.js';
import { dashes } from './lines.js';
import { ink, type Surface } from './raster.js';

export const HEIGHT = 54;
const TOP = 8;
const BOTTOM = 4;

/** Many more waiting than seats would flatten the running ones: then the scale is logarithmic, and says so. */
export function isLog(seats: number | null, maxLive: number, maxWaiting: number): boolean {
  return maxLive + maxWaiting > 6 * Math.max(seats ?? 0, maxLive, 1);
}

export function draw(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale, overview } = frame;
  raster.rows(frame.background);
  const base = raster.height - Math.round(BOTTOM * scale);
  const height = base - Math.round(TOP * scale);
  const { seats, maxLive, maxWaiting } = overview;
  const most = Math.max(seats ?? 0, maxLive + maxWaiting, 1);
  const log = isLog(seats, maxLive, maxWaiting);
  const rise = (n: number): number =>
    log ? (Math.log2(1 + n) / Math.log2(1 + most)) * height : (n / most) * height;
  const live = ink(palette.live);
  const waiting = ink(palette.waiting);
  const period = Math.round(4 * scale);
  const stroke = Math.max(1, Math.round(1.5 * scale));
  const edge = Math.max(1, Math.round(scale));
  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const end = endBin(frame, x, first);
    const running = greatest(tracks.live, first, end);
    const queued = greatest(tracks.waiting, first, end);
    const y1 = Math.round(base - rise(running));
    if (running > 0) raster.column(x, y1, base, live);
    if (queued > 0) {
      const y2 = Math.min(Math.round(base - rise(running + queued)), y1 - edge);
      raster.hatch(x, x + 1, y2, y1, waiting, period, stroke);
      raster.column(x, y2, y2 + edge, waiting);
    }
  }
  surface.flush();
  if (seats !== null) dashes(surface, frame, base - rise(seats), counted(seats, 'seat'));
}
