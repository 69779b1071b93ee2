/**
 * One figure of a benchmark, beside what it is held against.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {string} ours
 * @property {string} against empty when it stands alone
 * @property {string} ratio
 * @property {string} target empty when there is none
 * @property {boolean | null} met null without a target
 */

/** @param {number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ place) => Number(sorted[place]);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
}

/**
 * @param {number[]} values at least one
 * @param {number} percent
 */
export function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.min(Math.floor((sorted.length * percent) / 100), sorted.length - 1)]);
}

/** @param {number} milliseconds */
export function asMilliseconds(milliseconds) {
  return `${milliseconds.toFixed(1)} ms`;
}

/** @param {number} seconds */
export function asSeconds(seconds) {
  return seconds < 1 ? `${(seconds * 1000).toFixed(0)} ms` : `${seconds.toFixed(2)} s`;
}

/** @param {number} bytes */
export function asMib(bytes) {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/**
 * The rows as a table for a terminal, with a mark where a target is missed.
 *
 * @param {Row[]} rows
 */
export function table(rows) {
  const cells = [
    ['', 'ours', 'against', 'ratio', 'target', ''],
    ...rows.map((row) => [row.what, row.ours, row.against, row.ratio, row.target, mark(row.met)]),
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      ),
    )
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** @param {boolean | null} met */
function mark(met) {
  if (met === null) return '';
  return met ? 'met' : 'MISSED';
}
