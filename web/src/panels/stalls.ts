/** The stalls over their limit: real ones by how far over, then what is known to be warm-up, then late heartbeats. */

import { html } from 'lit';
import type { Column, Source } from '../elements/scope-rows.js';
import type { StallRow } from '../session/answers.js';
import { counted, duration, moment, ratio } from '../view/format.js';

export type StallOrder = 'time' | 'length' | 'ratio';

export type StallLine = StallRow | { readonly heading: string };

export const LOCUS: Record<StallRow['locus'], string> = {
  between_steps: 'between steps',
  in_schedule: 'in schedule()',
  within_step: 'within step',
};

export const WHOSE: Record<StallRow['attribution'], string> = {
  host: 'host',
  host_or_gpu: 'host or GPU',
};

const LIMIT: Record<StallRow['baseline'], string> = {
  matched: 'this size',
  unmatched: 'this size or larger',
  floor: 'the floor',
};

function isRow(line: StallLine): line is StallRow {
  return !('heading' in line);
}

const column = (
  head: string,
  width: number,
  cell: (row: StallRow) => unknown,
  more: Partial<Column<StallLine>> = {},
): Column<StallLine> => ({ head, width, cell: (line) => (isRow(line) ? cell(line) : ''), ...more });

const COLUMNS: readonly Column<StallLine>[] = [
  column('At', 76, (row) => moment(row.t0), { numeric: true, sort: 'time' }),
  column('Where', 96, (row) => (row.lateHeartbeat ? 'late heartbeat' : LOCUS[row.locus]), { grow: 1 }),
  column('Whose', 100, whose, { grow: 1 }),
  column('Length', 66, (row) => duration(row.durationNs), { numeric: true, sort: 'length' }),
  column('Limit', 60, (row) => (row.lateHeartbeat ? '–' : duration(row.limitNs)), { numeric: true }),
  column('× limit', 58, (row) => (row.lateHeartbeat ? '–' : ratio(row.ratio)), {
    numeric: true,
    sort: 'ratio',
  }),
  column('Limit from', 150, (row) => (row.lateHeartbeat ? '–' : limitFrom(row)), {
    grow: 1.6,
    title: 'How the limit was set: ten times the median of earlier steps of this size, or the floor',
  }),
  column('Ready', 42, (row) => (row.lateHeartbeat ? '–' : row.ready), {
    numeric: true,
    title: 'Requests that were ready all that time',
  }),
  column('Records', 92, records, { grow: 1 }),
];

function whose(row: StallRow): unknown {
  if (row.lateHeartbeat) return html`<span class="faint">no stall by the rules</span>`;
  return html`<span class="dot ${row.attribution === 'host' ? 'host' : 'gpu'}"></span>${WHOSE[row.attribution]}`;
}

function limitFrom(row: StallRow): string {
  return row.baseline === 'floor' ? LIMIT.floor : `${LIMIT[row.baseline]}, ${row.bucket}`;
}

function records(row: StallRow): unknown {
  const words = [row.covered ? 'whole' : 'not known whole'];
  if (row.overlapped) words.push('overlapped');
  if (row.ongoing) words.push('still going on');
  const text = words.join(', ');
  return row.covered ? text : html`<span class="wrong">${text}</span>`;
}

const COMPARE: Record<StallOrder, (a: StallRow, b: StallRow) => number> = {
  time: (a, b) => a.t0 - b.t0,
  length: (a, b) => b.durationNs - a.durationNs,
  ratio: (a, b) => b.ratio - a.ratio,
};

/** Lines in the order they are listed. */
export function lines(stalls: readonly StallRow[], order: StallOrder): StallLine[] {
  const sorted = [...stalls].sort((a, b) => COMPARE[order](a, b) || a.index - b.index);
  const late = sorted.filter((row) => row.lateHeartbeat);
  const warmUp = sorted.filter((row) => row.warmUp && !row.lateHeartbeat);
  const real = sorted.filter((row) => !row.warmUp && !row.lateHeartbeat);
  const list: StallLine[] = [...real];
  if (warmUp.length > 0) {
    list.push({ heading: `First-call warm-up, set apart: ${counted(warmUp.length, 'stall')}` }, ...warmUp);
  }
  if (late.length > 0) {
    const heading = 'Late heartbeats outside every stall: the process may have frozen while nothing ran';
    list.push({ heading }, ...late);
  }
  return list;
}

export function stallSource(listed: readonly StallLine[], order: StallOrder): Source<StallLine> {
  return {
    label: 'Stalls over their limit',
    columns: COLUMNS,
    total: listed.length,
    sorted: order,
    fetch: (from, count) => listed.slice(from, from + count),
    heading: (line) => (isRow(line) ? null : line.heading),
    empty: 'No stall over its limit.',
  };
}

export function placeOf(listed: readonly StallLine[], index: number): number | null {
  const at = listed.findIndex((line) => isRow(line) && line.index === index);
  return at < 0 ? null : at;
}
