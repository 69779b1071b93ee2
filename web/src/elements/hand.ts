/** Pointer and wheel over the tracks: zoom, pan, select, point. */

import type { Scope } from '../scope.js';
import { span } from '../view/range.js';
import * as states from '../view/state.js';

/** Less movement than this is a click, CSS pixels. */
const CLICK = 4;
/** A wheel notch of 100 zooms by this. */
const NOTCH = 1.2;
const LINE = 16;
const PAGE = 400;

interface Grip {
  readonly x: number;
  readonly y: number;
  readonly scrolled: number;
  readonly view: states.ViewState;
  mode: 'undecided' | 'pan' | 'select';
}

interface Pinch {
  readonly view: states.ViewState;
  readonly middle: number;
  readonly distance: number;
}

export class Hand {
  readonly #on: HTMLElement;
  readonly #scope: Scope;
  readonly #scroll: HTMLElement;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  readonly #ended = new AbortController();
  #grip: Grip | null = null;
  #pinch: Pinch | null = null;

  constructor(on: HTMLElement, scope: Scope, parts: { scroll: HTMLElement }) {
    this.#on = on;
    this.#scope = scope;
    this.#scroll = parts.scroll;
    const { signal } = this.#ended;
    on.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
    on.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    on.addEventListener('pointermove', (event) => this.#move(event), { signal });
    on.addEventListener('pointerup', (event) => this.#up(event), { signal });
    on.addEventListener('pointercancel', (event) => this.#lose(event), { signal });
    on.addEventListener('pointerleave', () => this.#leave(), { signal });
  }

  letGo(): void {
    this.#ended.abort();
  }

  /** The plots' box: every track's plot has the same left edge and width. */
  #plot(): DOMRect {
    return (this.#on.querySelector('.plot') as HTMLElement).getBoundingClientRect();
  }

  #timeAt(x: number, view: states.ViewState): number {
    const box = this.#plot();
    return view.range.t0 + ((x - box.left) / box.width) * span(view.range);
  }

  #inPlot(event: MouseEvent): boolean {
    return event
      .composedPath()
      .some((node) => node instanceof HTMLElement && node.classList.contains('plot'));
  }

  #wheel(event: WheelEvent): void {
    if (!this.#inPlot(event) || !this.#scope.view) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? PAGE : 1;
    const across = (event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX) * unit;
    const along = event.shiftKey ? 0 : event.deltaY * unit;
    const box = this.#plot();
    this.#scope.update((view) => {
      // A trackpad gives both at once; the larger is what the hand meant.
      if (Math.abs(across) > Math.abs(along))
        return states.pan(view, (across / box.width) * span(view.range));
      // A pinch on a trackpad arrives as a small wheel with Ctrl.
      const strength = event.ctrlKey ? 4 : 1;
      return states.zoom(view, this.#timeAt(event.clientX, view), NOTCH ** ((along * strength) / 100));
    });
  }

  #down(event: PointerEvent): void {
    const { view } = this.#scope;
    if (!view || event.button !== 0 || !this.#inPlot(event)) return;
    // The scroll bar of the lanes is the browser's.
    if (event.target === this.#scroll && event.offsetX > this.#scroll.clientWidth) return;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#on.setPointerCapture(event.pointerId);
    if (this.#pointers.size === 2) {
      this.#startPinch(view);
      return;
    }
    this.#grip = {
      x: event.clientX,
      y: event.clientY,
      scrolled: this.#scope.scrolled,
      view,
      mode: event.shiftKey ? 'select' : 'undecided',
    };
  }

  #startPinch(view: states.ViewState): void {
    this.#grip = null;
    const [a, b] = [...this.#pointers.values()];
    if (!a || !b) return;
    this.#pinch = {
      view,
      middle: (a.x + b.x) / 2,
      distance: Math.max(Math.abs(a.x - b.x), 20),
    };
  }

  #move(event: PointerEvent): void {
    const { view } = this.#scope;
    if (!view) return;
    if (this.#pointers.has(event.pointerId)) {
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    }
    if (this.#pinch) this.#pinching(this.#pinch);
    else if (this.#grip) this.#drag(this.#grip, event);
    if (event.pointerType !== 'touch') this.#point(event);
  }

  #pinching({ view, middle, distance }: Pinch): void {
    const [a, b] = [...this.#pointers.values()];
    if (!a || !b) return;
    const factor = distance / Math.max(Math.abs(a.x - b.x), 20);
    const moved = middle - (a.x + b.x) / 2;
    const box = this.#plot();
    this.#scope.update((now) => {
      const zoomed = states.zoom({ ...now, range: view.range }, this.#timeAt(middle, view), factor);
      return states.pan(zoomed, (moved / box.width) * span(zoomed.range));
    });
  }

  #drag(grip: Grip, event: PointerEvent): void {
    const dx = event.clientX - grip.x;
    const dy = event.clientY - grip.y;
    if (grip.mode === 'undecided') {
      if (Math.hypot(dx, dy) < CLICK) return;
      grip.mode = 'pan';
      this.#on.classList.add('panning');
    }
    if (grip.mode === 'select') {
      const from = this.#timeAt(grip.x, grip.view);
      const to = this.#timeAt(event.clientX, grip.view);
      const selection = { kind: 'range', t0: Math.min(from, to), t1: Math.max(from, to) } as const;
      this.#scope.update((view) => ({ ...view, selection }));
      return;
    }
    const by = -(dx / this.#plot().width) * span(grip.view.range);
    this.#scope.update((view) => states.move(view, states.pan(grip.view, by).range));
    const most = this.#scroll.scrollHeight - this.#scroll.clientHeight;
    this.#scope.scroll(Math.min(Math.max(grip.scrolled - dy, 0), Math.max(most, 0)));
  }

  #up(event: PointerEvent): void {
    const grip = this.#grip;
    this.#lose(event);
    if (!grip) return;
    const clicked = Math.hypot(event.clientX - grip.x, event.clientY - grip.y) < CLICK;
    if (!clicked) return;
    if (event.pointerType === 'touch') this.#point(event);
    this.#click(this.#timeAt(event.clientX, grip.view), event);
  }

  #lose(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    this.#grip = null;
    this.#pinch = null;
    this.#on.classList.remove('panning');
  }

  /** A stall under the pointer, or else the step there. */
  #click(t: number, event: PointerEvent): void {
    const scope = this.#scope;
    const slack = (3 / this.#plot().width) * span((scope.view as states.ViewState).range);
    const inMembers = event.composedPath().includes(this.#scroll);
    const stall = scope.overview?.stalls
      .filter((each) => !each.lateHeartbeat && each.t0 - slack <= t && each.t1 + slack >= t)
      .sort((a, b) => b.ratio - a.ratio)[0];
    if (stall && !inMembers) {
      scope.selectStall(stall.index, 'stay');
      return;
    }
    scope.selectStepAt(t).catch((thrown) => scope.fail(thrown));
  }

  #point(event: PointerEvent): void {
    if (!this.#inPlot(event) && !this.#grip) {
      this.#leave();
      return;
    }
    this.#scope.update((view) => {
      const t = this.#timeAt(event.clientX, view);
      if (t < view.range.t0 || t > view.range.t1) return view;
      return { ...view, cursor: { t, held: false } };
    });
  }

  #leave(): void {
    this.#scope.update((view) => (view.cursor && !view.cursor.held ? { ...view, cursor: null } : view));
  }
}
