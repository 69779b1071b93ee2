/** Dashed lines across a track with a word at the right end. */

import type { Frame } from './frame.js';
import type { Surface } from './raster.js';

/** `y` in device pixels. The text stands under the line on a plate of the ground's colour. */
export function dashes(surface: Surface, frame: Frame, y: number, text: string): void {
  const { context } = surface;
  const { palette, scale } = frame;
  const at = Math.round(y) + 0.5;
  context.strokeStyle = palette.muted;
  context.lineWidth = Math.max(1, Math.round(scale));
  context.setLineDash([3 * scale, 3 * scale]);
  context.beginPath();
  context.moveTo(0, at);
  context.lineTo(frame.pixels, at);
  context.stroke();
  context.setLineDash([]);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textAlign = 'right';
  context.textBaseline = 'top';
  const width = context.measureText(text).width;
  context.fillStyle = palette.ground;
  context.fillRect(frame.pixels - width - 8 * scale, at + 2 * scale, width + 8 * scale, 14 * scale);
  context.fillStyle = palette.muted;
  context.fillText(text, frame.pixels - 4 * scale, at + 3.5 * scale);
}
