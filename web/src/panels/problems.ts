/** What was wrong with the records, where, and what was done instead. */

import type { Source } from '../elements/scope-rows.js';
import type { Scope } from '../scope.js';
import type { ProblemRow } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';

export function problemSource(scope: Scope, total: number): Source<ProblemRow> {
  const { epoch } = scope;
  return {
    label: 'Problems of the records',
    columns: [
      { head: 'Where', width: 170, grow: 1, cell: (row) => row.place },
      { head: 'What', width: 220, grow: 2, cell: (row) => row.what },
      { head: 'Done instead', width: 200, grow: 2, cell: (row) => row.instead },
    ],
    total,
    async fetch(from, count) {
      const rows = await scope.session.ask('problems', 'problems', epoch, from, count);
      return rows === OVERTAKEN ? null : rows;
    },
    empty: 'Nothing was wrong with the records.',
  };
}
