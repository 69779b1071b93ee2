/**
 * What the session has answered for the visible range, and what is asked of it next. Answers cover more than is seen, so
 * that most frames ask nothing (view/window.ts).
 */

import type { Lanes, Overview, Tracks } from '../session/answers.js';
import { OVERTAKEN, type SessionClient } from '../session/client.js';
import type { Range } from '../view/range.js';
import type { ViewState } from '../view/state.js';
import { nearEdge, serves, type Window, windowFor } from '../view/window.js';
import * as members from './members.js';

export interface Held<T> {
  readonly window: Window;
  readonly answer: T;
}

export interface HeldLanes extends Held<Lanes> {
  /** The lanes asked for, from the first to one after the last. */
  readonly first: number;
  readonly end: number;
  readonly order: 'seats' | 'arrival';
}

/** What is to be drawn. Heights are CSS pixels, `pixels` device pixels of the width. */
export interface Need {
  readonly overview: Overview;
  readonly view: ViewState;
  readonly pixels: number;
  readonly lanesHeight: number;
  readonly scrolled: number;
}

type Kind = 'whole' | 'tracks' | 'lanes';

export class Fetched {
  whole: Held<Tracks> | null = null;
  lanes: HeldLanes | null = null;
  /** An answer has come. */
  onanswer: (() => void) | null = null;
  #tracks: Held<Tracks> | null = null;
  /** The epoch the answers are of. */
  #epoch = -1;
  /** Questions under way, and who waits for there to be none. */
  #open = 0;
  #waiting: (() => void)[] = [];
  /** What was asked last of each kind: it is not asked again, neither before the answer nor if that does not suffice. */
  readonly #asked = new Map<Kind, string>();
  readonly #session: SessionClient;
  readonly #failed: (thrown: unknown) => void;

  constructor(session: SessionClient, failed: (thrown: unknown) => void) {
    this.#session = session;
    this.#failed = failed;
  }

  /** The best there is for a range: of the right sharpness if possible, else whatever was shown last. */
  tracks(range: Range, pixels: number, bounds: Range): Held<Tracks> | null {
    const held = [this.#tracks, this.whole];
    return (
      held.find((each) => each && serves(each.window, range, pixels, bounds)) ?? this.#tracks ?? this.whole
    );
  }

  /** Asks for what is missing; answers are told by `onanswer`. */
  want(need: Need): void {
    const { overview, view, pixels } = need;
    if (this.#epoch !== overview.entry.index) {
      this.#epoch = overview.entry.index;
      this.whole = null;
      this.lanes = null;
      this.#tracks = null;
      this.#asked.clear();
    }
    const { bounds, range } = view;
    if (!this.whole || !serves(this.whole.window, bounds, pixels, bounds)) {
      this.#askTracks('whole', windowFor(bounds, pixels, bounds));
    }
    const isWhole = range.t0 <= bounds.t0 && range.t1 >= bounds.t1;
    const tracks = this.tracks(range, pixels, bounds);
    if (!isWhole && !(tracks && enough(tracks.window, range, pixels, bounds))) {
      this.#askTracks('tracks', windowFor(range, pixels, bounds));
    }
    this.#wantLanes(need);
  }

  #wantLanes({ overview, view, pixels, lanesHeight, scrolled }: Need): void {
    const { bounds, range, laneOrder: order } = view;
    const all = order === 'seats' ? overview.lanes : overview.lanesByArrival;
    const sight = members.inSight(scrolled, lanesHeight, all);
    const held = this.lanes;
    const covers = held && held.order === order && held.first <= sight.first && held.end >= sight.end;
    if (covers && enough(held.window, range, pixels, bounds)) return;
    const extra = sight.end - sight.first;
    const first = Math.max(0, sight.first - extra);
    const end = Math.min(all, sight.end + extra);
    const window = windowFor(range, pixels, bounds);
    const { t0, t1, width } = window;
    this.#ask(
      'lanes',
      [window, first, end, order],
      () => this.#session.ask('lanes', 'lanes', this.#epoch, t0, t1, width, first, end, order),
      (answer) => {
        this.lanes = { window: windowOf(answer), answer, first, end, order };
      },
    );
  }

  /** What was answered says something that is no longer so. */
  forget(): void {
    this.#epoch = -1;
  }

  /** Resolves once every question has its answer. */
  answered(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  #closed(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #askTracks(kind: 'whole' | 'tracks', window: Window): void {
    const { t0, t1, width } = window;
    this.#ask(
      kind,
      window,
      () => this.#session.ask(kind, 'tracks', this.#epoch, t0, t1, width),
      (answer) => {
        const held = { window: windowOf(answer), answer };
        if (kind === 'whole') this.whole = held;
        else this.#tracks = held;
      },
    );
  }

  #ask<T>(
    kind: Kind,
    what: unknown,
    ask: () => Promise<T | typeof OVERTAKEN>,
    got: (answer: T) => void,
  ): void {
    const epoch = this.#epoch;
    const asked = JSON.stringify(what);
    if (this.#asked.get(kind) === asked) return;
    this.#asked.set(kind, asked);
    this.#open += 1;
    ask()
      .then(
        (answer) => {
          if (epoch !== this.#epoch) return;
          if (answer === OVERTAKEN) return;
          got(answer);
          this.onanswer?.();
        },
        (thrown) => {
          if (epoch === this.#epoch) this.#failed(thrown);
        },
      )
      .finally(() => this.#closed());
  }
}

function enough(window: Window, range: Range, pixels: number, bounds: Range): boolean {
  return serves(window, range, pixels, bounds) && !nearEdge(window, range, bounds);
}

function windowOf(answer: { t0: number; binNs: number; bins: number }): Window {
  return { t0: answer.t0, t1: answer.t0 + answer.binNs * answer.bins, width: answer.bins };
}
