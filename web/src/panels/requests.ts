/** Requests: every stay in the engine, with its waits and its end. */

import { html } from 'lit';
import type { Column, Source } from '../elements/scope-rows.js';
import type { Scope } from '../scope.js';
import type { RequestOrder, RequestRow } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { count, duration, moment } from '../view/format.js';

const orUnknown = (value: number | null, show: (value: number) => string): unknown =>
  value === null ? html`<span class="faint">–</span>` : show(value);

const FINISH: Record<RequestRow['finish'], unknown> = {
  stop: 'stop',
  length: 'length',
  abort: html`<span class="wrong">abort</span>`,
  other: 'ended',
  running: html`<span class="faint">still running</span>`,
  lost: html`<span class="faint">not in the log</span>`,
};

function whose({ own }: RequestRow): unknown {
  if (!own) return html`<span class="faint">–</span>`;
  const of = [own.caseId, own.phase].filter(Boolean).join(' · ');
  return html`<strong>${of || 'own'}</strong>`;
}

const COLUMNS: readonly Column<RequestRow>[] = [
  {
    head: 'Request',
    width: 110,
    grow: 4,
    title: "The client's ID, or the engine's where none was recorded",
    cell: (row) => html`<span title=${row.internal}>${row.name}</span>`,
  },
  {
    head: 'Whose',
    width: 84,
    grow: 1,
    sort: 'own',
    title: "The case and phase of a client's own request, once an artifact of its run is opened with the log",
    cell: whose,
  },
  { head: 'Admitted', width: 76, numeric: true, sort: 'time', cell: (row) => moment(row.t0) },
  {
    head: 'Queue wait',
    width: 80,
    numeric: true,
    sort: 'queue',
    title: 'From admission to the start of its first step',
    cell: (row) => orUnknown(row.queueNs, duration),
  },
  {
    head: 'First token',
    width: 86,
    numeric: true,
    sort: 'firstToken',
    title: 'From admission to the outcome that had its first token',
    cell: (row) => orUnknown(row.firstTokenNs, duration),
  },
  {
    head: 'In engine',
    width: 70,
    numeric: true,
    sort: 'length',
    cell: (row) => duration(row.t1 - row.t0),
  },
  { head: 'Steps', width: 48, numeric: true, sort: 'steps', cell: (row) => count(row.steps) },
  { head: 'Prompt', width: 50, numeric: true, cell: (row) => orUnknown(row.promptTokens, count) },
  { head: 'Tokens', width: 54, numeric: true, sort: 'tokens', cell: (row) => count(row.tokens) },
  {
    head: 'Preempted',
    width: 72,
    numeric: true,
    sort: 'preemptions',
    cell: (row) => (row.preemptions ? html`<strong>${count(row.preemptions)}</strong>` : '0'),
  },
  { head: 'Finish', width: 76, cell: (row) => FINISH[row.finish] },
];

/** Nobody has said whose they are. */
const ALL_BUT_WHOSE = COLUMNS.filter(({ head }) => head !== 'Whose');

export interface Listed {
  readonly order: RequestOrder;
  readonly search: string;
  /** How many match the search. */
  readonly total: number;
}

export function requestSource(scope: Scope, { order, search, total }: Listed): Source<RequestRow> {
  const { epoch } = scope;
  return {
    label: 'Requests',
    columns: scope.bindings > 0 ? COLUMNS.filter(({ head }) => head !== 'Prompt') : ALL_BUT_WHOSE,
    total,
    sorted: order,
    async fetch(from, wanted) {
      const found = await scope.session.ask(
        'request rows',
        'requestRows',
        epoch,
        order,
        search,
        from,
        wanted,
      );
      return found === OVERTAKEN ? null : found.rows;
    },
    empty: search ? `No request has “${search}” in its ID.` : 'No request was recorded.',
  };
}
