/** What the engine loop did: scheduling, running, between steps, paused, idle; stalls outlined and worded. */

import { duration } from '../view/format.js';
import { endBin, type Frame, firstBin, mean, pixelOf, stallOf } from './frame.js';
import { ink, type Surface } from './raster.js';

/** CSS pixels. */
export const HEIGHT = 36;
const TOP = 7;
const STRIP = 17;
const MARKS = 26;

/** Marks by bit, the worst last: it is drawn over the others. */
const MARK_BITS = [1, 4, 2, 16, 8] as const;

export function draw(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale } = frame;
  raster.rows(frame.background);
  const top = Math.round(TOP * scale);
  const bottom = Math.round((TOP + STRIP) * scale);
  const height = bottom - top;
  const within = ink(palette.within);
  const schedule = ink(palette.schedule);
  const between = ink(palette.between);
  const paused = ink(palette.paused);
  const raised = ink(palette.raised);
  const stalls = [0, ink(palette.host), ink(palette.host), ink(palette.hostOrGpu), ink(palette.warmUp)];
  const period = Math.round(5 * scale);
  const stroke = Math.max(1, Math.round(1.5 * scale));

  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const end = endBin(frame, x, first);
    const stall = stallOf(tracks.stall, first, end);
    if (stall !== 0 && stall !== 4) {
      raster.column(x, top, bottom, stalls[stall] as number);
      continue;
    }
    let y = bottom;
    const running = mean(tracks.withinStep, first, end) * height;
    const scheduling = mean(tracks.inSchedule, first, end) * height;
    const waiting = mean(tracks.between, first, end) * height;
    const pausing = mean(tracks.paused, first, end) * height;
    const idling = mean(tracks.idle, first, end) * height;
    y = part(raster, x, y, running, within);
    y = part(raster, x, y, scheduling, schedule);
    y = part(raster, x, y, waiting, between);
    if (pausing > 0.5) {
      const to = y - Math.round(pausing);
      raster.column(x, to, y, raised);
      raster.hatch(x, x + 1, to, y, paused, period, stroke);
      y = to;
    }
    part(raster, x, y, idling, raised);
    if (stall === 4) raster.hatch(x, x + 1, top, bottom, stalls[4] as number, period, stroke);
  }
  drawMarks(surface, frame);
  surface.flush();
  labels(surface, frame, top, bottom);
}

function part(raster: Surface['raster'], x: number, y: number, height: number, colour: number): number {
  const to = Math.round(y - height);
  if (to < y) raster.column(x, to, y, colour);
  return to;
}

/** A tick under the strip wherever a pixel holds a preemption, a reset, a pause change, a failed or lost outcome. */
function drawMarks(surface: Surface, frame: Frame): void {
  const { raster } = surface;
  const { tracks, palette, scale } = frame;
  const colours: Record<number, number> = {
    1: ink(palette.preempted),
    2: ink(palette.recompute),
    4: ink(palette.paused),
    8: ink(palette.host),
    16: ink(palette.hostOrGpu),
  };
  const y0 = Math.round(MARKS * scale);
  const y1 = Math.round((MARKS + 6) * scale);
  const width = Math.max(1, Math.round(1.5 * scale));
  for (let x = 0; x < frame.pixels; x += 1) {
    const first = firstBin(frame, x);
    if (first < 0) continue;
    const end = endBin(frame, x, first);
    let bits = 0;
    for (let bin = first; bin < end; bin += 1) bits |= tracks.marks[bin] as number;
    if (bits === 0) continue;
    for (const bit of MARK_BITS) {
      if (bits & bit) raster.rect(x, x + width, y0, y1, colours[bit] as number);
    }
  }
}

/** The length of each stall that has room for it. */
function labels(surface: Surface, frame: Frame, top: number, bottom: number): void {
  const { context } = surface;
  const { palette, scale } = frame;
  context.font = `600 ${11 * scale}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const stall of frame.overview.stalls) {
    if (stall.t1 < frame.range.t0 || stall.t0 > frame.range.t1 || stall.lateHeartbeat) continue;
    const x0 = Math.max(pixelOf(frame, stall.t0), 0);
    const x1 = Math.min(pixelOf(frame, stall.t1), frame.pixels);
    if (x1 - x0 < 34 * scale) continue;
    const middle = (x0 + x1) / 2;
    const y = (top + bottom) / 2 + scale * 0.5;
    const text = stall.warmUp ? `warm-up ${duration(stall.durationNs)}` : duration(stall.durationNs);
    const needs = context.measureText(text).width + 8 * scale;
    if (needs > x1 - x0) continue;
    if (stall.warmUp) {
      context.fillStyle = palette.ground;
      context.fillRect(middle - needs / 2, top + scale, needs, bottom - top - 2 * scale);
      context.fillStyle = palette.ink;
    } else {
      context.fillStyle = stall.attribution === 'host' ? palette.hostLabel : palette.hostOrGpuLabel;
    }
    context.fillText(text, middle, y);
  }
}
