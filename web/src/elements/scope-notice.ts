/** A fault in words with what to do about it. */

import { css, html, LitElement, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Failure } from '../failure.js';
import { basics, controls } from '../theme/sheets.js';
import { sign } from './level.js';

@customElement('scope-notice')
export class ScopeNotice extends LitElement {
  @property({ attribute: false }) declare failure: Failure;
  /** Whether it can be closed; otherwise only a reload helps. */
  @property({ type: Boolean }) declare closes: boolean;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        background: var(--host-band);
        border-bottom: 1px solid var(--rule);
      }
      div {
        display: flex;
        gap: 10px;
        align-items: baseline;
        padding: 9px 16px;
        max-width: 980px;
        margin: 0 auto;
      }
      svg {
        flex: none;
        position: relative;
        top: 2px;
      }
      p {
        margin: 0;
        flex: 1;
        overflow-wrap: anywhere;
      }
    `,
  ];

  override render(): TemplateResult {
    const { message, advice } = this.failure;
    return html`<div role="alert">
      ${sign('bad')}
      <p><strong>${/[.!?]$/.test(message) ? message : `${message}.`}</strong> ${advice}</p>
      ${
        this.closes
          ? html`<button @click=${() => this.dispatchEvent(new CustomEvent('close'))}>Close</button>`
          : html`<button @click=${() => location.reload()}>Reload</button>`
      }
    </div>`;
  }
}
