/** The time axis over the tracks. */

import type { Palette } from '../theme/palette.js';
import { ticks } from '../view/axis.js';
import type { Range } from '../view/range.js';
import type { Surface } from './raster.js';

export const HEIGHT = 20;

export function draw(surface: Surface, range: Range, palette: Palette): void {
  const { context, canvas, scale } = surface;
  context.fillStyle = palette.raised;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.muted;
  const unit = canvas.width / (range.t1 - range.t0);
  for (const { t, text } of ticks(range, canvas.width / scale)) {
    const x = Math.round((t - range.t0) * unit);
    const half = context.measureText(text).width / 2;
    // A label that would be cut at an end stands inside it.
    const at = Math.min(Math.max(x, half + 2 * scale), canvas.width - half - 2 * scale);
    context.textAlign = 'center';
    if (Math.abs(at - x) < 14 * scale) context.fillText(text, at, canvas.height / 2 - scale);
    context.fillRect(x, canvas.height - 3 * scale, Math.max(1, Math.round(scale)), 3 * scale);
  }
}
