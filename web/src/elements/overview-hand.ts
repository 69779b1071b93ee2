/** Pointer in the overview: a drag chooses a range, a drag of an edge moves that edge, a click goes there. */

import type { Scope } from '../scope.js';
import { span } from '../view/range.js';
import * as states from '../view/state.js';

const CLICK = 4;
/** Distance at which an edge of the shown range is taken, CSS pixels. */
const EDGE = 6;

export class OverviewHand {
  readonly #on: HTMLElement;
  readonly #scope: Scope;
  readonly #ended = new AbortController();
  /** Where the drag began, the fixed end of the range, and the view before. */
  #drag: { x: number; fixed: number; before: states.ViewState; moved: boolean } | null = null;

  constructor(on: HTMLElement, scope: Scope) {
    this.#on = on;
    this.#scope = scope;
    const { signal } = this.#ended;
    on.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    on.addEventListener('pointermove', (event) => this.#move(event), { signal });
    on.addEventListener('pointerup', (event) => this.#up(event), { signal });
    on.addEventListener('pointercancel', () => this.#cancel(), { signal });
    on.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
  }

  letGo(): void {
    this.#ended.abort();
  }

  #timeAt(x: number, view: states.ViewState): number {
    const box = this.#on.getBoundingClientRect();
    const share = Math.min(Math.max((x - box.left) / box.width, 0), 1);
    return view.bounds.t0 + share * span(view.bounds);
  }

  #down(event: PointerEvent): void {
    const { view } = this.#scope;
    if (!view || event.button !== 0) return;
    this.#on.setPointerCapture(event.pointerId);
    const edge = (EDGE / this.#on.clientWidth) * span(view.bounds);
    const t = this.#timeAt(event.clientX, view);
    const { range, bounds } = view;
    let fixed = t;
    if (Math.abs(t - range.t0) < edge && range.t0 > bounds.t0) fixed = range.t1;
    else if (Math.abs(t - range.t1) < edge && range.t1 < bounds.t1) fixed = range.t0;
    this.#drag = { x: event.clientX, fixed, before: view, moved: false };
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag) return;
    drag.moved ||= Math.abs(event.clientX - drag.x) >= CLICK;
    if (!drag.moved) return;
    const t = this.#timeAt(event.clientX, drag.before);
    const range = { t0: Math.min(t, drag.fixed), t1: Math.max(t, drag.fixed) };
    this.#scope.update(() => states.show(drag.before, range));
  }

  #up(event: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.moved) return;
    const t = this.#timeAt(event.clientX, drag.before);
    const half = span(drag.before.range) / 2;
    this.#scope.update((view) => states.show(view, { t0: t - half, t1: t + half }));
  }

  #cancel(): void {
    const drag = this.#drag;
    this.#drag = null;
    if (drag) this.#scope.update(() => drag.before);
  }

  #wheel(event: WheelEvent): void {
    const { view } = this.#scope;
    if (!view) return;
    event.preventDefault();
    const at = Math.min(Math.max(this.#timeAt(event.clientX, view), view.range.t0), view.range.t1);
    this.#scope.update((now) => states.zoom(now, at, 1.2 ** (event.deltaY / 100)));
  }
}
