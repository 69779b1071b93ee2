/** The cursor's line and card, the selection's outline: a layer over all tracks that repaints nothing under it. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { CursorCard } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { basics } from '../theme/sheets.js';
import { span } from '../view/range.js';
import { cssProperties } from './css-properties.js';
import { ScopeElement } from './scope-element.js';

const CARD = 250;

@customElement('scope-cursor')
export class ScopeCursor extends ScopeElement {
  protected override readonly topics = ['range', 'epoch', 'theme'] as const;
  @state() declare private card: CursorCard | null;
  #asked = Number.NaN;

  static override styles = [
    basics,
    css`
      :host {
        position: absolute;
        inset: 0 var(--end) 0 var(--label);
        pointer-events: none;
        overflow: clip;
        overflow-clip-margin: 0px;
      }
      .line {
        position: absolute;
        top: 0;
        bottom: 0;
        left: 0;
        width: 1px;
        background: var(--ink);
      }
      .selected {
        position: absolute;
        top: 0;
        bottom: 0;
        left: 0;
        border: 2px solid var(--host);
      }
      .selected.step,
      .selected.request {
        border: 1px solid var(--ink);
        border-width: 0 1px;
        background: color-mix(in srgb, var(--ink) 8%, transparent);
      }
      .selected.range {
        border: 1px dashed var(--ink);
        border-width: 0 1px;
        background: color-mix(in srgb, var(--link) 14%, transparent);
      }
      .card {
        position: absolute;
        left: 0;
        top: 112px;
        max-width: 250px;
        padding: 6px 9px;
        font-size: 12px;
        line-height: 1.45;
        background: var(--ground);
        border: 1px solid var(--edge);
        border-radius: 5px;
        box-shadow: 0 2px 10px rgb(0 0 0 / 14%);
        overflow-wrap: anywhere;
      }
      .card p {
        margin: 0;
      }
      .card p + p {
        color: var(--muted);
      }
    `,
  ];

  constructor() {
    super();
    this.card = null;
  }

  protected override told(): void {
    this.#ask();
    this.requestUpdate();
  }

  #ask(): void {
    const t = this.scope.view?.cursor?.t;
    if (t === undefined) {
      this.card = null;
      this.#asked = Number.NaN;
      return;
    }
    if (t === this.#asked) return;
    this.#asked = t;
    this.scope.session.ask('cursor', 'cursor', this.scope.epoch, t).then(
      (card) => {
        if (card !== OVERTAKEN && this.scope.view?.cursor) this.card = card;
      },
      (thrown) => this.scope.fail(thrown),
    );
  }

  override render(): TemplateResult | typeof nothing {
    const { view } = this.scope;
    if (!view) return nothing;
    const { width } = this.scope.plot;
    const at = (t: number): number => ((t - view.range.t0) / span(view.range)) * width;
    const { cursor, selection } = view;
    return html`${selection ? this.#outline(selection.kind, at(selection.t0), at(selection.t1), width) : nothing}
    ${cursor ? this.#cursor(at(cursor.t), width) : nothing}`;
  }

  #outline(kind: string, from: number, to: number, width: number): TemplateResult | typeof nothing {
    if (to < 0 || from > width) return nothing;
    const left = Math.max(from, -4);
    const wide = Math.max(Math.min(to, width + 4) - left, 2);
    return html`<div
      class="selected ${kind}"
      ${cssProperties({ transform: `translateX(${left}px)`, width: `${wide}px` })}
    ></div>`;
  }

  #cursor(x: number, width: number): TemplateResult | typeof nothing {
    if (x < 0 || x > width) return nothing;
    const { card } = this;
    const side = x + 12 + CARD > width && x > CARD + 12 ? 'left' : 'right';
    const offset = side === 'right' ? `${x + 10}px` : `calc(${x - 10}px - 100%)`;
    return html`<div class="line" ${cssProperties({ transform: `translateX(${x}px)` })}></div>
      ${
        card
          ? html`<div class="card" ${cssProperties({ transform: `translateX(${offset})` })}>
            <p>${card.title}</p>
            ${card.lines.map((line) => html`<p>${line}</p>`)}
          </div>`
          : nothing
      }`;
  }
}
