/** Numbers as people read them. Every unit is separated by a space, every minus is a real one. */

const grouped = new Intl.NumberFormat('en-US');

export function count(n: number): string {
  return grouped.format(n).replace('-', '−');
}

/** `1 step`, `2 steps`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** Three significant digits in the unit that suits: `1.50 s`, `812 ms`, `70.6 µs`, `1 m 57 s`. */
export function duration(ns: number): string {
  const sign = ns < 0 ? '−' : '';
  const size = Math.abs(ns);
  if (size >= 3_599_500_000_000) {
    const minutes = Math.round(size / 60e9);
    return `${sign}${count(Math.floor(minutes / 60))} h ${minutes % 60} m`;
  }
  if (size >= 99_950_000_000) {
    const seconds = Math.round(size / 1e9);
    return `${sign}${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  }
  if (size >= 999_500_000) return `${sign}${three(size / 1e9)} s`;
  if (size >= 999_500) return `${sign}${three(size / 1e6)} ms`;
  if (size >= 999.5) return `${sign}${three(size / 1e3)} µs`;
  return `${sign}${Math.round(size)} ns`;
}

function three(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

/** A time on the epoch's own clock, to the millisecond: `36.924 s`. */
export function moment(ns: number, places = 3): string {
  const text = (ns / 1e9).toFixed(places);
  return `${text.startsWith('-') ? `−${text.slice(1)}` : text} s`;
}

/** Both ends with as many places as their distance deserves: `35.0 – 48.5 s`. */
export function between(t0: number, t1: number): string {
  const length = Math.max(t1 - t0, 1) / 1e9;
  const places = Math.min(6, Math.max(1, Math.ceil(2 - Math.log10(length))));
  return `${(t0 / 1e9).toFixed(places)} – ${(t1 / 1e9).toFixed(places)} s`;
}

export function bytes(n: number): string {
  if (n >= 999_500_000) return `${three(n / 1e9)} GB`;
  if (n >= 999_500) return `${three(n / 1e6)} MB`;
  if (n >= 1000) return `${three(n / 1e3)} kB`;
  return `${n} B`;
}

/** Wall time of day in UTC, `19:36:34`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** Wall date and time in UTC, `2026-11-30 19:36:34`. */
export function dateTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

export function ratio(value: number): string {
  return value >= 99.95 ? count(Math.round(value)) : value.toFixed(1);
}
