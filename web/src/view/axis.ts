/** Where the time axis has ticks and what they say. */

import type { Range } from './range.js';

export interface Tick {
  readonly t: number;
  readonly text: string;
}

const SECOND = 1e9;

/** Steps people count time in: 1, 2, 5 of each decade under a minute, then parts of minutes, hours and days. */
function stepFor(atLeastNs: number): number {
  if (atLeastNs <= 10 * SECOND) {
    const decade = 10 ** Math.floor(Math.log10(Math.max(atLeastNs, 1)));
    for (const multiple of [1, 2, 5, 10]) {
      if (decade * multiple >= atLeastNs) return decade * multiple;
    }
  }
  const long = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  for (const seconds of long) {
    if (seconds * SECOND >= atLeastNs) return seconds * SECOND;
  }
  return Math.ceil(atLeastNs / (86400 * SECOND)) * 86400 * SECOND;
}

/** At most one tick in `spacing` pixels. */
export function ticks(range: Range, pixels: number, spacing = 92): Tick[] {
  if (!(range.t1 > range.t0) || pixels <= 0) return [];
  const step = stepFor(((range.t1 - range.t0) / pixels) * spacing);
  const first = Math.ceil(range.t0 / step);
  const last = Math.floor(range.t1 / step);
  const list: Tick[] = [];
  for (let i = first; i <= last; i += 1) list.push({ t: i * step, text: tickText(i * step, step) });
  return list;
}

function tickText(t: number, step: number): string {
  if (step >= 60 * SECOND || t >= 600 * SECOND) return clock(t, decimals(step));
  return `${(t / SECOND).toFixed(decimals(step))} s`;
}

function decimals(step: number): number {
  return step >= SECOND ? 0 : Math.min(9, Math.ceil(-Math.log10(step / SECOND) - 1e-9));
}

/** `m:ss` or `h:mm:ss`, for long logs. */
export function clock(ns: number, places = 0): string {
  const sign = ns < 0 ? '−' : '';
  const scale = 10 ** places;
  const total = Math.round((Math.abs(ns) / SECOND) * scale);
  const whole = Math.floor(total / scale);
  const part = places > 0 ? `.${String(total % scale).padStart(places, '0')}` : '';
  const seconds = String(whole % 60).padStart(2, '0');
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  if (hours > 0) return `${sign}${hours}:${String(minutes).padStart(2, '0')}:${seconds}${part}`;
  return `${sign}${minutes}:${seconds}${part}`;
}
