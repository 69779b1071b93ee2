/** One lane a request: queue, prefill, decode, waits, preempted, paused; a tick for each completion, an end. */

import type { Lanes } from '../session/answers.js';
import { type Frame, pixelOf } from './frame.js';
import { type Ink, ink, type Raster, type Surface } from './raster.js';

/** CSS pixels from lane to lane, and of a bar. */
export const PITCH = 17;
const BAR = 13;
const PAD = 4;

const QUEUE = 0;
const PREFILL = 1;
const DECODE = 2;
const RECOMPUTE = 3;
const WAIT_PREFILL = 4;
const WAIT_DECODE = 5;
const PREEMPTED = 6;
const PAUSED = 7;

const ABORT = 2;
/** Nanoseconds a pixel from which ends are drawn thin. */
const CROWDED_NS = 40e6;

export interface LaneView {
  readonly lanes: Lanes;
  /** CSS pixels scrolled. */
  readonly scrolled: number;
}

/** CSS pixels of all lanes. */
export function heightOf(lanes: number): number {
  return lanes * PITCH + 2 * PAD;
}

/** The lanes in sight, from the first to one after the last. */
export function inSight(scrolled: number, height: number, lanes: number): { first: number; end: number } {
  const first = Math.min(Math.max(0, Math.floor((scrolled - PAD) / PITCH)), lanes);
  const end = Math.min(lanes, Math.ceil((scrolled + height - PAD) / PITCH) + 1);
  return { first, end: Math.max(end, first) };
}

export function draw(surface: Surface, frame: Frame, view: LaneView): void {
  const { raster } = surface;
  const { scale } = frame;
  raster.rows(frame.background);
  const pitch = PITCH * scale;
  const bar = Math.round(BAR * scale);
  const offset = (PAD - view.scrolled) * scale;
  const top = (lane: number): number => Math.round(offset + lane * pitch);
  runs(raster, frame, view.lanes, top, bar);
  ticks(raster, frame, view.lanes, top, bar);
  ends(raster, frame, view.lanes, top, bar);
  surface.flush();
  labels(surface, frame, view.lanes, top, bar);
}

type Top = (lane: number) => number;

function runs(raster: Raster, frame: Frame, lanes: Lanes, top: Top, bar: number): void {
  const { palette, scale } = frame;
  const colours: Ink[] = [];
  colours[QUEUE] = ink(palette.queue);
  colours[PREFILL] = ink(palette.prefill);
  colours[DECODE] = ink(palette.decode);
  colours[RECOMPUTE] = ink(palette.recompute);
  colours[WAIT_PREFILL] = ink(palette.prefillWait);
  colours[WAIT_DECODE] = ink(palette.decodeWait);
  colours[PREEMPTED] = ink(palette.preempted);
  colours[PAUSED] = ink(palette.paused);
  /** Height of each kind's bar, device pixels. */
  const heights: number[] = [];
  heights[QUEUE] = Math.round(3 * scale);
  heights[PREFILL] = bar;
  heights[DECODE] = bar;
  heights[RECOMPUTE] = bar;
  heights[WAIT_PREFILL] = Math.round(5 * scale);
  heights[WAIT_DECODE] = Math.round(5 * scale);
  heights[PREEMPTED] = Math.round(5 * scale);
  heights[PAUSED] = bar;
  const period = Math.round(5 * scale);
  const stroke = Math.max(1, Math.round(1.5 * scale));
  const { runKind, runLane, runT0, runT1 } = lanes;
  const { t0, t1 } = frame.range;
  const unit = frame.pixels / (t1 - t0);
  for (let i = 0; i < runKind.length; i += 1) {
    const from = runT0[i] as number;
    const to = runT1[i] as number;
    if (to < t0 || from > t1) continue;
    const y = top(runLane[i] as number);
    if (y >= raster.height || y + bar <= 0) continue;
    const x0 = Math.floor((from - t0) * unit);
    const x1 = Math.max(x0 + 1, Math.floor((to - t0) * unit));
    const kind = runKind[i] as number;
    const height = heights[kind] as number;
    const y0 = y + ((bar - height) >> 1);
    if (kind === PAUSED) raster.hatch(x0, x1, y0, y0 + height, colours[kind] as Ink, period, stroke);
    else raster.rect(x0, x1, y0, y0 + height, colours[kind] as Ink);
  }
}

function ticks(raster: Raster, frame: Frame, lanes: Lanes, top: Top, bar: number): void {
  const colour = ink(frame.palette.tick);
  const { tickLane, tickT } = lanes;
  const { t0, t1 } = frame.range;
  const unit = frame.pixels / (t1 - t0);
  const width = Math.max(1, Math.round(frame.scale * 0.75));
  // Zoomed out since the lanes were asked for, ticks would melt into a dark bar.
  if (lanes.binNs * unit < 0.5) return;
  for (let i = 0; i < tickT.length; i += 1) {
    const t = tickT[i] as number;
    if (t < t0 || t > t1) continue;
    const x = Math.floor((t - t0) * unit);
    const y = top(tickLane[i] as number);
    raster.rect(x, x + width, y + 2, y + bar - 2, colour);
  }
}

/** A dark tick a little taller than the bar; an abort is a red cross. */
function ends(raster: Raster, frame: Frame, lanes: Lanes, top: Top, bar: number): void {
  const { palette, scale } = frame;
  const red = ink(palette.host);
  const { endKind, endLane, endT } = lanes;
  // With thousands in sight a dark tick each would hide the bars themselves.
  const crowded = lanes.binNs > CROWDED_NS;
  const plain = ink(crowded ? palette.tick : palette.end);
  const width = Math.max(1, Math.round((crowded ? 1 : 2) * scale));
  const over = crowded ? 0 : Math.round(scale);
  for (let i = 0; i < endT.length; i += 1) {
    const t = endT[i] as number;
    if (t < frame.range.t0 || t > frame.range.t1) continue;
    const x = Math.floor(pixelOf(frame, t));
    const y = top(endLane[i] as number);
    if (endKind[i] === ABORT) {
      cross(raster, x, y + (bar >> 1), Math.round(4 * scale), Math.round(2 * scale), red);
    } else {
      raster.rect(x, x + width, y - over, y + bar + over, plain);
    }
  }
}

function cross(raster: Raster, x: number, y: number, arm: number, width: number, colour: Ink): void {
  for (let d = -arm; d <= arm; d += 1) {
    raster.rect(x + d, x + d + width, y + d, y + d + 1, colour);
    raster.rect(x - d, x - d + width, y + d, y + d + 1, colour);
  }
}

/** Names on plates, so that they read the same over a bar, a wait and the ground. */
function labels(surface: Surface, frame: Frame, lanes: Lanes, top: Top, bar: number): void {
  const { context, raster } = surface;
  const { palette, scale } = frame;
  const { labelLane, labelT0, labelT1, labels: names } = lanes;
  context.font = `${10 * scale}px ui-monospace, "DejaVu Sans Mono", monospace`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const room = 4 * scale;
  for (let i = 0; i < names.length; i += 1) {
    const t0 = labelT0[i] as number;
    const t1 = labelT1[i] as number;
    if (t1 < frame.range.t0 || t0 > frame.range.t1) continue;
    const y = top(labelLane[i] as number);
    if (y >= raster.height || y + bar <= 0) continue;
    const x0 = Math.max(pixelOf(frame, t0), 0) + room;
    const x1 = Math.min(pixelOf(frame, t1), frame.pixels) - room;
    if (x1 - x0 < 40 * scale) continue;
    const name = names[i] as string;
    const width = context.measureText(name).width;
    if (width + room > x1 - x0) continue;
    context.fillStyle = palette.labelPlate;
    context.fillRect(Math.round(x0), y + scale, Math.ceil(width + 2 * room), bar - 2 * scale);
    context.fillStyle = palette.label;
    context.fillText(name, Math.round(x0 + room), y + bar / 2 + 0.5 * scale);
  }
}
