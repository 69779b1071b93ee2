/**
 * Draws the tracks: asks the session for what the visible range needs, and paints what is here once a frame, only when
 * something has changed.
 */

import type { Scope } from '../scope.js';
import type { Lanes, Tracks } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import type { Palette } from '../theme/palette.js';
import type { Range } from '../view/range.js';
import { nearEdge, serves, type Window, windowFor } from '../view/window.js';
import * as coverage from './coverage.js';
import { backgrounds, edges, type Frame } from './frame.js';
import * as loop from './loop.js';
import * as members from './members.js';
import * as overviewTrack from './overview.js';
import { Surface } from './raster.js';
import * as requests from './requests.js';
import * as ruler from './ruler.js';
import * as tokens from './tokens.js';

export type CanvasName = 'overview' | 'ruler' | 'loop' | 'tokens' | 'requests' | 'members' | 'coverage';

/** CSS pixels; the members take what is left. */
export const HEIGHTS: Readonly<Record<Exclude<CanvasName, 'members'>, number>> = {
  overview: overviewTrack.HEIGHT,
  ruler: ruler.HEIGHT,
  loop: loop.HEIGHT,
  tokens: tokens.HEIGHT,
  requests: requests.HEIGHT,
  coverage: coverage.HEIGHT,
};

interface Held<T> {
  readonly window: Window;
  readonly answer: T;
}

interface LaneNeed {
  readonly first: number;
  readonly end: number;
  readonly order: 'seats' | 'arrival';
}

/** Sharper than this the eye does not see, and the pixels cost. */
const MOST_SCALE = 2;

export class Stage {
  readonly #scope: Scope;
  readonly #surfaces = new Map<CanvasName, Surface>();
  #width = 0;
  #membersHeight = 0;
  #scale = 1;
  #frame = 0;
  #whole: Held<Tracks> | null = null;
  #tracks: Held<Tracks> | null = null;
  #lanes: (Held<Lanes> & LaneNeed) | null = null;
  #overviewStale = true;
  #palette: Palette | null = null;
  /** The epoch that the held answers are of. */
  #epoch = -1;

  constructor(scope: Scope) {
    this.#scope = scope;
    scope.drawsWhen(() => this.#frame !== 0);
  }

  get width(): number {
    return this.#width;
  }

  attach(canvases: ReadonlyMap<CanvasName, HTMLCanvasElement>): void {
    for (const [name, canvas] of canvases) {
      if (this.#surfaces.get(name)?.canvas !== canvas) this.#surfaces.set(name, new Surface(canvas));
    }
  }

  /** CSS pixels of the plots. */
  resize(width: number, membersHeight: number): void {
    this.#width = Math.max(1, Math.floor(width));
    this.#membersHeight = Math.max(1, Math.floor(membersHeight));
    this.#scale = Math.min(Math.max(devicePixelRatio, 1), MOST_SCALE);
    for (const [name, surface] of this.#surfaces) {
      const height = name === 'members' ? this.#membersHeight : HEIGHTS[name];
      surface.resize(this.#width, height, this.#scale);
    }
    this.#overviewStale = true;
    this.draw();
  }

  /** Something changed: there will be a frame. */
  draw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #paint(): void {
    this.#frame = 0;
    const { overview, view, theme } = this.#scope;
    if (!overview || !view || overview.empty || this.#surfaces.size === 0 || this.#width < 2) return;
    const since = performance.now();
    if (this.#epoch !== overview.entry.index) {
      this.#epoch = overview.entry.index;
      this.#whole = null;
      this.#tracks = null;
      this.#lanes = null;
      this.#overviewStale = true;
    }
    if (this.#palette !== theme.palette) {
      this.#palette = theme.palette;
      this.#overviewStale = true;
    }
    const pixels = Math.round(this.#width * this.#scale);
    this.#wantWhole(view.bounds, pixels);
    this.#wantTracks(view.range, view.bounds, pixels);
    this.#wantLanes(view.range, view.bounds, pixels);
    if (this.#overviewStale && this.#whole) {
      this.#overviewStale = false;
      const surface = this.#surfaces.get('overview');
      if (surface) overviewTrack.draw(surface, this.#frameOf(view.bounds, pixels, this.#whole.answer));
    }
    this.#paintTracks(view.range, pixels);
    this.#scope.frameDrawn(performance.now() - since);
  }

  #paintTracks(range: Range, pixels: number): void {
    const { theme } = this.#scope;
    const rulerSurface = this.#surfaces.get('ruler');
    if (rulerSurface) ruler.draw(rulerSurface, range, theme.palette);
    if (!this.#tracks) return;
    const frame = this.#frameOf(range, pixels, this.#tracks.answer);
    const draw = (name: CanvasName, how: (surface: Surface, frame: Frame) => void): void => {
      const surface = this.#surfaces.get(name);
      if (surface) how(surface, frame);
    };
    draw('loop', loop.draw);
    draw('tokens', tokens.draw);
    draw('requests', requests.draw);
    draw('coverage', coverage.draw);
    const held = this.#lanes;
    if (!held) return;
    draw('members', (surface) =>
      members.draw(surface, frame, { lanes: held.answer, scrolled: this.#scope.scrolled }),
    );
    if (this.#whole && serves(this.#tracks.window, range, pixels, this.#scope.view?.bounds ?? range)) {
      this.#scope.pictured();
    }
  }

  #frameOf(range: Range, pixels: number, tracks: Tracks): Frame {
    const { overview, view, theme } = this.#scope;
    if (!overview || !view) throw new Error('a frame without an epoch');
    const base = {
      range,
      bounds: view.bounds,
      pixels,
      scale: this.#scale,
      tracks,
      overview,
      palette: theme.palette,
      edges: edges(range, pixels, tracks),
    };
    return { ...base, background: backgrounds(base) };
  }

  #wantWhole(bounds: Range, pixels: number): void {
    if (this.#whole && serves(this.#whole.window, bounds, pixels, bounds)) return;
    const window = windowFor(bounds, pixels, bounds);
    this.#ask('whole', window, 'tracks', [window.t0, window.t1, window.width], (answer) => {
      this.#whole = { window: windowOf(answer), answer };
      this.#overviewStale = true;
    });
  }

  #wantTracks(range: Range, bounds: Range, pixels: number): void {
    const held = this.#tracks?.window;
    if (held && serves(held, range, pixels, bounds) && !nearEdge(held, range, bounds)) return;
    const window = windowFor(range, pixels, bounds);
    this.#ask('tracks', window, 'tracks', [window.t0, window.t1, window.width], (answer) => {
      this.#tracks = { window: windowOf(answer), answer };
    });
  }

  #wantLanes(range: Range, bounds: Range, pixels: number): void {
    const { overview, view, scrolled } = this.#scope;
    if (!overview || !view) return;
    const order = view.laneOrder;
    const all = order === 'seats' ? overview.lanes : overview.lanesByArrival;
    const sight = members.inSight(scrolled, this.#membersHeight, all);
    const held = this.#lanes;
    const enough =
      held &&
      held.order === order &&
      held.first <= sight.first &&
      held.end >= sight.end &&
      serves(held.window, range, pixels, bounds) &&
      !nearEdge(held.window, range, bounds);
    if (enough) return;
    const extra = sight.end - sight.first;
    const first = Math.max(0, sight.first - extra);
    const end = Math.min(all, sight.end + extra);
    const window = windowFor(range, pixels, bounds);
    const parameters = [window.t0, window.t1, window.width, first, end, order] as const;
    this.#ask('lanes', { ...window, first, end, order }, 'lanes', parameters, (answer) => {
      this.#lanes = { window: windowOf(answer), answer, first, end, order };
    });
  }

  /** What was asked last of each kind, so that waiting frames do not ask again. */
  readonly #asked = new Map<string, string>();

  #ask<M extends 'tracks' | 'lanes'>(
    kind: string,
    key: object,
    method: M,
    parameters: M extends 'tracks'
      ? readonly [number, number, number]
      : readonly [number, number, number, number, number, 'seats' | 'arrival'],
    got: (answer: M extends 'tracks' ? Tracks : Lanes) => void,
  ): void {
    const epoch = this.#epoch;
    const asked = JSON.stringify([epoch, key]);
    if (this.#asked.get(kind) === asked) return;
    this.#asked.set(kind, asked);
    const { session } = this.#scope;
    const answer = (session.ask as (...all: unknown[]) => Promise<unknown>).call(
      session,
      kind,
      method,
      epoch,
      ...parameters,
    );
    answer.then(
      (value) => {
        if (this.#asked.get(kind) === asked) this.#asked.delete(kind);
        if (value === OVERTAKEN || epoch !== this.#epoch) return;
        got(value as M extends 'tracks' ? Tracks : Lanes);
        this.draw();
      },
      (thrown) => {
        if (epoch === this.#epoch) this.#scope.fail(thrown);
      },
    );
  }
}

function windowOf(answer: { t0: number; binNs: number; bins: number }): Window {
  return { t0: answer.t0, t1: answer.t0 + answer.binNs * answer.bins, width: answer.bins };
}
