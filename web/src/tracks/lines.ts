/** Dashed lines across a track with a word at the right end. */

import type { Frame } from './frame.js';
import type { Surface } from './raster.js';

/** `y` in device pixels. The text stands under the line, or over it when there is no room, on the ground's colour. */
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
  const height = 14 * scale;
  const below = at + 2 * scale;
  const top = below + height <= surface.raster.height ? below : at - 2 * scale - height;
  context.fillStyle = palette.ground;
  context.fillRect(frame.pixels - width - 8 * scale, top, width + 8 * scale, height);
  context.fillStyle = palette.muted;
  context.fillText(text, frame.pixels - 4 * scale, top + 1.5 * scale);
}
