/** Every step; runs of steps without members are one row. */

import { html } from 'lit';
import type { Column, Source } from '../elements/scope-rows.js';
import type { Scope } from '../scope.js';
import type { StepRow } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { count, counted, duration, moment } from '../view/format.js';
import type { StepOrder } from '../view/state.js';

const orUnknown = (value: number | null, show: (value: number) => string): unknown =>
  value === null ? html`<span class="faint">not recorded</span>` : show(value);

function kind(row: StepRow): unknown {
  if (row.count > 1) return html`<span class="faint">${counted(row.count, 'step')} with none</span>`;
  const words: Record<StepRow['kind'], string> = {
    empty: 'none',
    prefill: 'prefill',
    decode: 'decode',
    mixed: 'prefill + decode',
  };
  return row.recompute ? `${words[row.kind]}, recompute` : words[row.kind];
}

function outcome(row: StepRow): unknown {
  if (row.outcome === 'completed') return 'completed';
  return html`<span class="wrong">${row.outcome === 'failed' ? 'update failed' : 'no outcome'}</span>`;
}

const single = (cell: (row: StepRow) => unknown) => (row: StepRow) => (row.count > 1 ? '' : cell(row));

const COLUMNS: readonly Column<StepRow>[] = [
  {
    head: 'Step',
    width: 56,
    numeric: true,
    cell: (row) => (row.count > 1 ? `${row.iteration} …` : row.iteration),
  },
  { head: 'At', width: 80, numeric: true, sort: 'time', cell: (row) => moment(row.t0) },
  { head: 'Members run', width: 104, grow: 1, cell: kind },
  {
    head: 'Step time',
    width: 66,
    numeric: true,
    sort: 'longest',
    title: 'From the end of schedule() to the outcome',
    cell: single((row) => orUnknown(row.stepNs, duration)),
  },
  {
    head: 'schedule()',
    width: 70,
    numeric: true,
    cell: single((row) => orUnknown(row.scheduleNs, duration)),
  },
  { head: 'Tokens', width: 50, numeric: true, cell: single((row) => orUnknown(row.tokens, count)) },
  { head: 'Prefill', width: 50, numeric: true, cell: single((row) => count(row.prefillTokens)) },
  { head: 'Decode', width: 52, numeric: true, cell: single((row) => count(row.decodeTokens)) },
  { head: 'Members', width: 58, numeric: true, cell: single((row) => count(row.members)) },
  {
    head: 'Preempted',
    width: 66,
    numeric: true,
    cell: single((row) => (row.preempted ? html`<strong>${count(row.preempted)}</strong>` : '0')),
  },
  { head: 'Outcome', width: 80, grow: 1, cell: single(outcome) },
];

export function stepSource(scope: Scope, total: number, order: StepOrder): Source<StepRow> {
  const { epoch } = scope;
  return {
    label: 'Steps',
    columns: COLUMNS,
    total,
    sorted: order,
    async fetch(from, wanted) {
      const rows = await scope.session.ask('step rows', 'stepRows', epoch, order, from, wanted);
      return rows === OVERTAKEN ? null : rows;
    },
    empty: 'No step was recorded.',
  };
}
