/** What is selected: a stall explained, a step with its members, a range with its figures. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { Explanation, Part, RequestDetail, StepDetail } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { basics, controls } from '../theme/sheets.js';
import { between, counted, duration } from '../view/format.js';
import type { Selection } from '../view/state.js';
import { sentence } from './parts.js';
import { ScopeElement } from './scope-element.js';

type Shown =
  | { kind: 'stall'; explanation: Explanation }
  | { kind: 'step'; detail: StepDetail }
  | { kind: 'request'; detail: RequestDetail }
  | { kind: 'range'; t0: number; t1: number };

@customElement('scope-details')
export class ScopeDetails extends ScopeElement {
  protected override readonly topics = ['epoch', 'view'] as const;
  @state() declare private shown: Shown | null;
  #asked = '';

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        position: relative;
        overflow: auto;
        scrollbar-width: thin;
        scrollbar-color: var(--edge) transparent;
      }
      .inside {
        padding: 10px 14px 14px;
      }
      h2 {
        font-size: 14px;
        margin: 0 0 6px;
        display: flex;
        flex-wrap: wrap;
        gap: 4px 8px;
        align-items: baseline;
      }
      .pill {
        font-size: 12px;
        border: 1px solid currentColor;
        border-radius: 99px;
        padding: 0 8px;
      }
      .pill.host {
        color: var(--host-text);
      }
      .pill.host_or_gpu {
        color: var(--host-or-gpu-text);
      }
      p {
        margin: 0 0 8px;
        overflow-wrap: anywhere;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(84px, max-content) minmax(0, 1fr);
        gap: 3px 14px;
        margin: 0 0 10px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
        font-variant-numeric: tabular-nums;
      }
      .turn {
        display: flex;
        gap: 6px;
        margin: 0 0 10px;
      }
      .wide {
        overflow-x: auto;
        margin: 0 -14px;
        padding: 0 14px;
        scrollbar-width: thin;
      }
      table {
        border-collapse: collapse;
        white-space: nowrap;
        font-size: 12px;
      }
      th {
        text-align: right;
        font-weight: 400;
        color: var(--muted);
        padding: 2px 12px 2px 0;
      }
      td {
        text-align: right;
        font-variant-numeric: tabular-nums;
        padding: 2px 12px 2px 0;
        border-top: 1px solid var(--rule);
      }
      th:first-child,
      td:first-child {
        text-align: left;
        max-width: 200px;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .none {
        color: var(--muted);
      }
    `,
  ];

  constructor() {
    super();
    this.shown = null;
  }

  protected override told(): void {
    this.#ask();
    this.requestUpdate();
  }

  override firstUpdated(): void {
    this.#ask();
  }

  #ask(): void {
    const selection = this.scope.view?.selection ?? null;
    const asked = JSON.stringify([this.scope.epoch, this.scope.bindings, selection]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (!selection || selection.kind === 'range') {
      this.shown = selection;
      return;
    }
    this.#answer(selection).then(
      (shown) => {
        if (shown && asked === this.#asked) this.shown = shown;
      },
      (thrown) => this.scope.fail(thrown),
    );
  }

  async #answer(selection: Selection): Promise<Shown | null> {
    const { session, epoch } = this.scope;
    if (selection.kind === 'stall') {
      const explanation = await session.ask('details', 'explainStall', epoch, selection.index);
      return explanation === OVERTAKEN ? null : { kind: 'stall', explanation };
    }
    if (selection.kind === 'step') {
      const detail = await session.ask('details', 'step', epoch, selection.index);
      return detail === OVERTAKEN ? null : { kind: 'step', detail };
    }
    if (selection.kind === 'request') {
      const detail = await session.ask('details', 'request', epoch, selection.index);
      return detail === OVERTAKEN ? null : { kind: 'request', detail };
    }
    return null;
  }

  override render(): TemplateResult {
    const { shown } = this;
    return html`<div class="inside" role="region" aria-label="Selection" tabindex="0">
      ${
        shown === null
          ? html`<p class="none">
              Select a stall to see whose it is and what ran around it, a step to see its members, or a request to see
              where its time went.
              Press <kbd>.</kbd> for the next mark.
            </p>`
          : shown.kind === 'stall'
            ? this.#stall(shown.explanation)
            : shown.kind === 'step'
              ? this.#step(shown.detail)
              : shown.kind === 'request'
                ? this.#request(shown.detail)
                : this.#range(shown.t0, shown.t1)
      }
    </div>`;
  }

  #facts(facts: readonly { label: string; parts: Part[] }[]): TemplateResult {
    return html`<dl>
      ${facts.map(
        ({ label, parts }) => html`<dt>${label}</dt>
          <dd>${sentence(parts, this.scope)}</dd>`,
      )}
    </dl>`;
  }

  #stall({ row, title, whose, text, facts }: Explanation): TemplateResult {
    return html`
      <h2>${title} ${whose ? html`<span class="pill ${row.attribution}">${whose}</span>` : nothing}</h2>
      <p>${sentence(text, this.scope)}</p>
      ${this.#facts(facts)}
    `;
  }

  #request({ title, text, facts }: RequestDetail): TemplateResult {
    return html`
      <h2>${title}</h2>
      <p>${sentence(text, this.scope)}</p>
      ${this.#facts(facts)}
    `;
  }

  #step({ title, text, facts, memberColumns, members, previous, next }: StepDetail): TemplateResult {
    const to = (step: number | null, words: string): TemplateResult => html`<button
      ?disabled=${step === null}
      @click=${() => this.#go(step)}
    >
      ${words}
    </button>`;
    return html`
      <h2>${title}</h2>
      <p>${sentence(text, this.scope)}</p>
      <div class="turn">${to(previous, 'Step before')} ${to(next, 'Step after')}</div>
      ${this.#facts(facts)}
      ${
        members.length === 0
          ? nothing
          : html`<div class="wide" tabindex="0" role="region" aria-label="Members of the step">
              <table>
                <caption class="unseen">${counted(members.length, 'member')}</caption>
                <thead>
                  <tr>${memberColumns.map((head) => html`<th scope="col">${head}</th>`)}</tr>
                </thead>
                <tbody>
                  ${members.map(
                    ({ cells }) =>
                      html`<tr>
                        ${cells.map((cell) =>
                          cell === null
                            ? html`<td class="none">not recorded</td>`
                            : html`<td title=${cell.length > 24 ? cell : nothing}>${cell}</td>`,
                        )}
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
    `;
  }

  #range(t0: number, t1: number): TemplateResult {
    return html`<h2>${duration(t1 - t0)} selected</h2>
      <p>${between(t0, t1)}</p>
      <p class="none">Press <kbd>F</kbd> to fit it to the width, <kbd>Esc</kbd> to go back.</p>`;
  }

  #go(step: number | null): void {
    if (step !== null) this.scope.selectStep(step, 'reveal').catch((thrown) => this.scope.fail(thrown));
  }
}
