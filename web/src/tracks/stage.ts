/** Paints the tracks, once a frame and only when something has changed. */

import type { Scope } from '../scope.js';
import type { Lanes, Tracks } from '../session/answers.js';
import type { Palette } from '../theme/palette.js';
import type { Range } from '../view/range.js';
import { serves } from '../view/window.js';
import * as coverage from './coverage.js';
import type { Held } from './fetched.js';
import { backgrounds, edges, type Frame } from './frame.js';
import * as loop from './loop.js';
import * as members from './members.js';
import * as overviewTrack from './overview.js';
import { Surface } from './raster.js';
import { emptyFrame } from './rehearsal.js';
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

/** After so many frames the browser has compiled the drawing. */
const REHEARSALS = 8;

export class Stage {
  readonly #scope: Scope;
  readonly #surfaces = new Map<CanvasName, Surface>();
  #width = 0;
  #rehearsed = false;
  #frame = 0;
  /** What the overview was last painted from; it is painted again only when one of these has changed. */
  #overviewOf: { held: Held<Tracks>; palette: Palette; width: number } | null = null;

  constructor(scope: Scope) {
    this.#scope = scope;
    scope.fetched.onanswer = () => this.draw();
    scope.drawsWhen(() => this.#frame !== 0);
  }

  /** CSS pixels. */
  get width(): number {
    return this.#width;
  }

  attach(canvases: ReadonlyMap<CanvasName, HTMLCanvasElement>): void {
    for (const [name, canvas] of canvases) {
      if (this.#surfaces.get(name)?.canvas !== canvas) this.#surfaces.set(name, new Surface(canvas));
    }
  }

  /** CSS pixels of the plots. */
  resize(width: number, lanesHeight: number): void {
    this.#width = Math.max(1, Math.floor(width));
    const { plot } = this.#scope;
    plot.width = this.#width;
    plot.lanesHeight = Math.max(1, Math.floor(lanesHeight));
    for (const [name, surface] of this.#surfaces) {
      const height = name === 'members' ? plot.lanesHeight : HEIGHTS[name];
      if (surface.resize(this.#width, height, plot.scale) && name === 'overview') this.#overviewOf = null;
    }
    this.draw();
  }

  /** Something changed: there will be a frame. */
  draw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  /** Draws into canvases that nobody sees yet, in tasks of their own: with the layout they would hold the page too long. */
  rehearse(): void {
    if (this.#rehearsed) return;
    this.#rehearsed = true;
    let left = REHEARSALS;
    const next = (): void => {
      const { plot, theme, overview } = this.#scope;
      if (overview || left === 0) return;
      left -= 1;
      const { frame, lanes } = emptyFrame(Math.round(this.#width * plot.scale), plot.scale, theme.palette);
      this.#drawAll(frame, lanes, 0);
      const surface = this.#surfaces.get('overview');
      if (surface) overviewTrack.draw(surface, frame);
      setTimeout(next);
    };
    setTimeout(next);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #paint(): void {
    this.#frame = 0;
    const scope = this.#scope;
    const { overview, view, fetched, theme } = scope;
    if (!overview || !view || overview.empty || this.#surfaces.size === 0 || this.#width < 2) return;
    const since = performance.now();
    const pixels = Math.round(this.#width * scope.plot.scale);
    scope.want();
    this.#paintOverview(view.bounds, pixels);
    const rulerSurface = this.#surfaces.get('ruler');
    if (rulerSurface) ruler.draw(rulerSurface, view.range, theme.palette);
    const held = fetched.tracks(view.range, pixels, view.bounds);
    if (held) this.#paintTracks(view.range, pixels, held);
    scope.frameDrawn(performance.now() - since);
    const sharp = held && serves(held.window, view.range, pixels, view.bounds);
    if (sharp && fetched.whole && fetched.lanes) scope.pictured();
  }

  #paintOverview(bounds: Range, pixels: number): void {
    const { fetched, theme } = this.#scope;
    const surface = this.#surfaces.get('overview');
    const held = fetched.whole;
    if (!surface || !held) return;
    const { palette } = theme;
    const of = this.#overviewOf;
    if (of && of.held === held && of.palette === palette && of.width === this.#width) return;
    this.#overviewOf = { held, palette, width: this.#width };
    overviewTrack.draw(surface, this.#frameOf(bounds, pixels, held.answer));
  }

  #paintTracks(range: Range, pixels: number, held: Held<Tracks>): void {
    const { fetched, scrolled } = this.#scope;
    this.#drawAll(this.#frameOf(range, pixels, held.answer), fetched.lanes?.answer ?? null, scrolled);
  }

  #drawAll(frame: Frame, lanes: Lanes | null, scrolled: number): void {
    const draw = (name: CanvasName, how: (surface: Surface, frame: Frame) => void): void => {
      const surface = this.#surfaces.get(name);
      if (surface) how(surface, frame);
    };
    draw('loop', loop.draw);
    draw('tokens', tokens.draw);
    draw('requests', requests.draw);
    draw('coverage', coverage.draw);
    if (lanes) draw('members', (surface) => members.draw(surface, frame, { lanes, scrolled }));
  }

  #frameOf(range: Range, pixels: number, tracks: Tracks): Frame {
    const { overview, view, theme, plot } = this.#scope;
    if (!overview || !view) throw new Error('a frame without an epoch');
    const base = {
      range,
      bounds: view.bounds,
      pixels,
      scale: plot.scale,
      tracks,
      overview,
      palette: theme.palette,
      edges: edges(range, pixels, tracks),
    };
    return { ...base, background: backgrounds(base) };
  }
}
