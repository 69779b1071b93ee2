/** The list of keys and gestures. */

import { css, html, LitElement, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { basics, controls, dialogs } from '../theme/sheets.js';
import { HAND, LISTED } from '../view/keys.js';

@customElement('scope-keys')
export class ScopeKeys extends LitElement {
  static override styles = [
    basics,
    controls,
    dialogs,
    css`
      .columns {
        display: flex;
        flex-wrap: wrap;
        gap: 6px 40px;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 240px);
        gap: 6px 16px;
        margin: 0;
        align-content: start;
      }
      dd {
        margin: 0;
      }
      .close {
        float: right;
      }
    `,
  ];

  show(): void {
    this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  override render(): TemplateResult {
    return html`<dialog
      aria-labelledby="title"
      @click=${(event: MouseEvent) => {
        if (event.target === this.#dialog) this.#dialog?.close();
      }}
    >
      <button class="close" @click=${() => this.#dialog?.close()}>Close</button>
      <h2 id="title">Keys and gestures</h2>
      <div class="columns">
        <dl>
          ${LISTED.map(
            ({ keys, does }) => html`<dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt>
              <dd>${does}</dd>`,
          )}
        </dl>
        <dl>
          ${HAND.map(
            ({ how, does }) => html`<dt>${how}</dt>
              <dd>${does}</dd>`,
          )}
        </dl>
      </div>
    </dialog>`;
  }
}
