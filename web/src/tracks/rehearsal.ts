/** A frame of nothing in particular: drawn unseen before the first real one, so that the browser has compiled the drawing. */

import type { Lanes, Overview, Tracks } from '../session/answers.js';
import type { Palette } from '../theme/palette.js';
import { backgrounds, edges, type Frame } from './frame.js';

export function emptyFrame(pixels: number, scale: number, palette: Palette): { frame: Frame; lanes: Lanes } {
  const range = { t0: 0, t1: pixels };
  const values = (at: (bin: number) => number) => Float32Array.from({ length: pixels }, (_, bin) => at(bin));
  const share = values(() => 0.2);
  const tokens = values((bin) => bin % 50);
  const kinds = Uint8Array.from({ length: pixels }, (_, bin) => (bin >> 4) % 5);
  const tracks: Tracks = {
    t0: 0,
    binNs: 1,
    bins: pixels,
    inSchedule: share,
    withinStep: share,
    between: share,
    paused: share,
    idle: share,
    stall: kinds,
    stepTime: tokens,
    steps: new Uint32Array(pixels),
    prefill: tokens,
    decode: tokens,
    recompute: tokens,
    live: tokens,
    waiting: tokens,
    marks: kinds,
    coverage: kinds,
  };
  const runs = pixels >> 2;
  const at = Float64Array.from({ length: runs }, (_, i) => i * 4);
  const lane = Uint32Array.from({ length: runs }, (_, i) => i % 16);
  const lanes: Lanes = {
    t0: 0,
    binNs: 1,
    bins: pixels,
    runKind: Uint8Array.from({ length: runs }, (_, i) => i % 8),
    runLane: lane,
    runT0: at,
    runT1: at.map((t) => t + 4),
    runExecution: lane,
    tickLane: lane,
    tickT: at,
    endKind: Uint8Array.from({ length: runs }, (_, i) => i % 4),
    endLane: lane,
    endT: at,
    labelLane: lane.subarray(0, 8),
    labelT0: at.subarray(0, 8),
    labelT1: at.subarray(0, 8).map(() => pixels),
    labels: Array.from({ length: 8 }, () => 'a1b2c3d4'),
  };
  const overview = {
    tokenBudget: 64,
    seats: 16,
    maxStepTokens: 64,
    maxLive: 16,
    maxWaiting: 4,
    stalls: [],
    pauses: [],
  };
  const base = {
    range,
    bounds: range,
    pixels,
    scale,
    tracks,
    overview: overview as unknown as Overview,
    palette,
    edges: edges(range, pixels, tracks),
  };
  return { frame: { ...base, background: backgrounds(base) }, lanes };
}
