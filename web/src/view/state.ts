/** What the user is looking at: plain values and functions from one to the next. */

import type { RequestOrder, Tab } from '../session/answers.js';
import type { Range } from './range.js';
import * as ranges from './range.js';

export type Selection =
  | { readonly kind: 'stall'; readonly index: number; readonly t0: number; readonly t1: number }
  | { readonly kind: 'step'; readonly index: number; readonly t0: number; readonly t1: number }
  | { readonly kind: 'request'; readonly index: number; readonly t0: number; readonly t1: number }
  | { readonly kind: 'range'; readonly t0: number; readonly t1: number };

export type LaneOrder = 'seats' | 'arrival';
export type StepOrder = 'time' | 'longest';

export type TrackName = 'overview' | 'loop' | 'tokens' | 'requests' | 'members' | 'coverage';

export interface ViewState {
  readonly bounds: Range;
  readonly range: Range;
  readonly selection: Selection | null;
  /** Where the cursor is; `held` when a key put it there, so that leaving with the pointer does not drop it. */
  readonly cursor: { readonly t: number; readonly held: boolean } | null;
  readonly tab: Tab;
  /** The track shown as a table instead of a tab's content. */
  readonly table: TrackName | null;
  readonly laneOrder: LaneOrder;
  readonly stepOrder: StepOrder;
  readonly requestOrder: RequestOrder;
  /** What the IDs of the listed requests contain. */
  readonly search: string;
  /** Where Esc leads. */
  readonly past: readonly { readonly range: Range; readonly selection: Selection | null }[];
}

const REMEMBERED = 64;

/** An epoch has been opened; orders and, where it makes sense, the tab stay as they were. */
export function opened(bounds: Range, before: ViewState | null, hasSteps = true): ViewState {
  return {
    bounds,
    range: bounds,
    selection: null,
    cursor: null,
    tab: hasSteps ? (before?.tab ?? 'stalls') : before?.tab === 'problems' ? 'problems' : 'config',
    table: null,
    laneOrder: before?.laneOrder ?? 'seats',
    stepOrder: before?.stepOrder ?? 'time',
    requestOrder: before?.requestOrder ?? 'time',
    search: '',
    past: [],
  };
}

function remember(view: ViewState): ViewState {
  const past = [...view.past, { range: view.range, selection: view.selection }];
  return { ...view, past: past.slice(-REMEMBERED) };
}

/** A jump: Esc leads back from it. */
export function show(view: ViewState, range: Range): ViewState {
  const next = ranges.within(range, view.bounds);
  if (ranges.same(next, view.range)) return view;
  return { ...remember(view), range: next };
}

/** A movement under the hand: not remembered. */
export function move(view: ViewState, range: Range): ViewState {
  return ranges.same(range, view.range) ? view : { ...view, range };
}

export function zoom(view: ViewState, at: number, factor: number): ViewState {
  return move(view, ranges.zoom(view.range, at, factor, view.bounds));
}

export function pan(view: ViewState, by: number): ViewState {
  return move(view, ranges.pan(view.range, by, view.bounds));
}

/** Selects and, when asked, goes there. */
export function select(view: ViewState, selection: Selection, go: 'zoom' | 'reveal' | 'stay'): ViewState {
  const middle = (selection.t0 + selection.t1) / 2;
  const range =
    go === 'zoom'
      ? ranges.around(selection.t0, selection.t1, view.bounds)
      : go === 'reveal'
        ? ranges.reveal(view.range, middle, view.bounds)
        : view.range;
  return { ...remember(view), selection, range };
}

export function fit(view: ViewState): ViewState {
  const { selection } = view;
  if (!selection) return view;
  if (selection.kind === 'range') return show(view, selection);
  return show(view, ranges.around(selection.t0, selection.t1, view.bounds, 0));
}

export function whole(view: ViewState): ViewState {
  return show(view, view.bounds);
}

export function back(view: ViewState): ViewState {
  if (view.table) return { ...view, table: null };
  const last = view.past.at(-1);
  if (last) {
    return { ...view, range: last.range, selection: last.selection, past: view.past.slice(0, -1) };
  }
  return { ...view, selection: null, cursor: null };
}
