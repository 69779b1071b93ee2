/** Tokens of the steps on a logarithmic scale: decode, recompute and prefill on top of each other; the budget line. */

import { count } from '../view/format.js';
import { endBin, type Frame, firstBin } from './frame.js';
import { dashes } from './lines.js';
import { ink, type Surface } from './raster.js';

export const HEIGHT = 68;
const TOP = 10;
const BOTTOM = 4;

export function draw(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale, overview } = frame;
  raster.rows(frame.background);
  const base = raster.height - Math.round(BOTTOM * scale);
  const height = base - Math.round(TOP * scale);
  const most = Math.max(overview.tokenBudget ?? 0, overview.maxStepTokens, 8);
  const unit = height / Math.log2(1 + most);
  const grid = ink(palette.rule);
  for (let decade = 10; decade < most; decade *= 10) {
    const y = Math.round(base - Math.log2(1 + decade) * unit);
    for (let x = 0; x < frame.pixels; x += Math.round(4 * scale)) raster.rect(x, x + 1, y, y + 1, grid);
  }
  const decode = ink(palette.decode);
  const recompute = ink(palette.recompute);
  const prefill = ink(palette.prefill);
  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const end = endBin(frame, x, first);
    let best = first;
    let total = -1;
    for (let bin = first; bin < end; bin += 1) {
      const here =
        (tracks.prefill[bin] as number) + (tracks.decode[bin] as number) + (tracks.recompute[bin] as number);
      if (here > total) {
        total = here;
        best = bin;
      }
    }
    if (!(total > 0)) continue;
    const d = tracks.decode[best] as number;
    const dr = d + (tracks.recompute[best] as number);
    const y1 = Math.round(base - Math.log2(1 + d) * unit);
    const y2 = Math.round(base - Math.log2(1 + dr) * unit);
    const y3 = Math.min(Math.round(base - Math.log2(1 + total) * unit), base - 1);
    raster.column(x, y3, y2, prefill);
    raster.column(x, y2, y1, recompute);
    raster.column(x, y1, base, decode);
  }
  surface.flush();
  if (overview.tokenBudget !== null) {
    const y = base - Math.log2(1 + overview.tokenBudget) * unit;
    dashes(surface, frame, y, `budget ${count(overview.tokenBudget)}`);
  }
}
