/** The table behind a track: the same marks, for the visible range, reachable by keyboard and screen reader. */

import type { Source } from '../elements/scope-rows.js';
import type { Scope } from '../scope.js';
import type { Mark } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { duration, moment } from '../view/format.js';
import type { Range } from '../view/range.js';
import type { TrackName } from '../view/state.js';

export const TITLES: Record<TrackName, string> = {
  overview: 'Overview',
  loop: 'Loop',
  tokens: 'Tokens',
  requests: 'Requests',
  members: 'Members',
  coverage: 'Coverage',
};

export function markSource(scope: Scope, track: TrackName, range: Range, total: number): Source<Mark> {
  const { epoch } = scope;
  return {
    label: `${TITLES[track]}, marks of the visible range`,
    columns: [
      { head: 'At', width: 92, numeric: true, cell: (mark) => moment(mark.t0) },
      {
        head: 'Length',
        width: 80,
        numeric: true,
        cell: (mark) => (mark.t1 > mark.t0 ? duration(mark.t1 - mark.t0) : '–'),
      },
      { head: 'What', width: 280, grow: 1, cell: (mark) => mark.text },
    ],
    total,
    async fetch(from, count) {
      const marks = await scope.session.ask(
        'mark rows',
        'marks',
        epoch,
        track,
        range.t0,
        range.t1,
        from,
        count,
      );
      return marks === OVERTAKEN ? null : marks.rows;
    },
    empty: 'Nothing in the visible range.',
  };
}
