/** Sample epochs by name, each with a sentence on what happens in it. Loaded when they are asked for. */

import { css, html, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { presetGather, presets } from '../ingest/preset.js';
import { basics, controls } from '../theme/sheets.js';
import type { Preset } from '../workers/simulate.worker.js';
import { ScopeElement } from './scope-element.js';

@customElement('scope-presets')
export class ScopePresets extends ScopeElement {
  /** Null until the module that makes them has come. */
  @property({ attribute: false }) declare presets: readonly Preset[] | null;
  /** It did not come. */
  @property({ attribute: false }) declare failed: boolean;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        max-height: min(320px, 50vh);
        overflow-y: auto;
        margin-top: 14px;
        padding: 2px;
        text-align: left;
        border-top: 1px solid var(--rule);
      }
      p {
        font-size: 12px;
        color: var(--muted);
        margin: 10px 8px 2px;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      button {
        display: grid;
        grid-template-columns: 10.5em 1fr;
        gap: 0 12px;
        width: 100%;
        text-align: left;
        border-color: transparent;
        padding: 3px 8px;
      }
      .about {
        color: var(--muted);
      }
      @media (max-width: 640px) {
        button {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.presets = null;
    this.failed = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    presets().then(
      (list) => {
        this.presets = list;
      },
      (thrown) => {
        this.failed = true;
        this.scope.fail(thrown);
      },
    );
  }

  override render(): TemplateResult {
    const { presets } = this;
    if (!presets) {
      const words = this.failed ? 'Not loaded. Close the list and open it to try again.' : 'Loading…';
      return html`<p role="status">${words}</p>`;
    }
    return html`
      ${this.#group(
        'What can go wrong, with fixed times and counts',
        presets.filter(({ adjustable }) => !adjustable),
      )}
      ${this.#group(
        'Servers under load',
        presets.filter(({ adjustable }) => adjustable),
      )}
    `;
  }

  #group(title: string, presets: readonly Preset[]): TemplateResult {
    return html`<p aria-hidden="true">${title}</p>
      <ul aria-label=${title} @keydown=${this.#key}>
        ${presets.map(
          ({ name, about }) =>
            html`<li>
              <button @click=${() => this.#open(name)}><strong>${name}</strong> <span class="about">${about}</span></button>
            </li>`,
        )}
      </ul>`;
  }

  #open(preset: string): void {
    this.dispatchEvent(new CustomEvent('began', { bubbles: true, composed: true }));
    this.scope.read(presetGather(preset));
  }

  /** The list is long: arrows go through it, besides Tab. */
  #key = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    const buttons = [...this.renderRoot.querySelectorAll('button')];
    const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + step];
    event.preventDefault();
    // Not for the view behind.
    event.stopPropagation();
    next?.focus();
  };
}
