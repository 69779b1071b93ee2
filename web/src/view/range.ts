/** Ranges of the time axis. Times are nanoseconds from the epoch's first stamp. */

export interface Range {
  readonly t0: number;
  readonly t1: number;
}

/** The closest zoom: a microsecond over a whole screen says nothing a stamp can hold. */
export const CLOSEST_NS = 20_000;

export function span(range: Range): number {
  return range.t1 - range.t0;
}

export function same(a: Range, b: Range): boolean {
  return a.t0 === b.t0 && a.t1 === b.t1;
}

/** The range moved and, only when it is too long or too short, resized so that it lies within the bounds. */
export function within(range: Range, bounds: Range): Range {
  const whole = Math.max(span(bounds), CLOSEST_NS);
  const length = Math.min(Math.max(span(range), CLOSEST_NS), whole);
  const middle = (range.t0 + range.t1) / 2;
  const start = length === span(range) ? range.t0 : middle - length / 2;
  const t0 = Math.min(Math.max(start, bounds.t0), bounds.t0 + whole - length);
  return { t0, t1: t0 + length };
}

/** Zooms by `factor` (under 1 is closer); the time `at` keeps its place on the screen. */
export function zoom(range: Range, at: number, factor: number, bounds: Range): Range {
  const whole = Math.max(span(bounds), CLOSEST_NS);
  const length = Math.min(Math.max(span(range) * factor, CLOSEST_NS), whole);
  const share = (at - range.t0) / span(range);
  const t0 = at - share * length;
  return within({ t0, t1: t0 + length }, bounds);
}

export function pan(range: Range, by: number, bounds: Range): Range {
  return within({ t0: range.t0 + by, t1: range.t1 + by }, bounds);
}

/** The range with its surroundings: what is asked for takes a quarter of the width. */
export function around(t0: number, t1: number, bounds: Range, atLeastNs = 20_000_000): Range {
  const length = Math.max((t1 - t0) * 4, atLeastNs);
  const middle = (t0 + t1) / 2;
  return within({ t0: middle - length / 2, t1: middle + length / 2 }, bounds);
}

/** Keeps the length and moves as little as needed for `t` to be seen well inside. */
export function reveal(range: Range, t: number, bounds: Range): Range {
  const margin = span(range) * 0.1;
  if (t >= range.t0 + margin && t <= range.t1 - margin) return range;
  return pan(range, t - (range.t0 + range.t1) / 2, bounds);
}
