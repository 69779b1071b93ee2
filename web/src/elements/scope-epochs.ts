/** All epochs that are open: whose, since when, how they ended; one is chosen to be shown. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { EpochEntry } from '../session/answers.js';
import { basics, controls, dialogs } from '../theme/sheets.js';
import { bytes, count, dateTime, duration } from '../view/format.js';
import { ScopeElement } from './scope-element.js';

@customElement('scope-epochs')
export class ScopeEpochs extends ScopeElement {
  protected override readonly topics = ['phase', 'epoch'] as const;

  static override styles = [
    basics,
    controls,
    dialogs,
    css`
      dialog {
        max-width: min(1080px, calc(100vw - 32px));
      }
      .wide {
        overflow-x: auto;
      }
      table {
        border-collapse: collapse;
        white-space: nowrap;
      }
      th {
        text-align: left;
        font-weight: 400;
        color: var(--muted);
        padding: 3px 16px 3px 0;
      }
      th.number {
        text-align: right;
      }
      td {
        padding: 5px 16px 5px 0;
        border-top: 1px solid var(--rule);
        vertical-align: baseline;
      }
      td.host {
        color: var(--muted);
        padding-top: 12px;
      }
      .shown {
        background: var(--chosen);
      }
      .refused {
        display: block;
        color: var(--host-or-gpu-text);
        white-space: normal;
        min-width: 20em;
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
    const { epochs } = this.scope;
    return html`<dialog aria-labelledby="title" @click=${this.#outside}>
      <button class="close" @click=${() => this.#dialog?.close()}>Close</button>
      <h2 id="title">Epochs</h2>
      <p class="muted">
        One epoch is what one process wrote from its start to its end. Drop more folders to add theirs.
      </p>
      <div class="wide" tabindex="0" role="region" aria-label="Epochs">
        <table>
          <thead>
            <tr>
              <th scope="col">Process</th>
              <th scope="col">Started, UTC</th>
              <th scope="col" class="number">Span</th>
              <th scope="col">State</th>
              <th scope="col" class="number">Steps</th>
              <th scope="col" class="number">Stalls</th>
              <th scope="col" class="number">Problems</th>
              <th scope="col" class="number">Size</th>
            </tr>
          </thead>
          <tbody>
            ${epochs.map((entry, i) => this.#row(entry, epochs[i - 1]))}
          </tbody>
        </table>
      </div>
    </dialog>`;
  }

  #row(entry: EpochEntry, before: EpochEntry | undefined): TemplateResult {
    const shown = entry.index === this.scope.epoch;
    return html`${
      entry.host === before?.host
        ? nothing
        : html`<tr><td class="host" colspan="8">${entry.host || 'unknown host'}</td></tr>`
    }
      <tr class=${shown ? 'shown' : ''}>
        <td>
          <button class="inline" aria-current=${shown ? 'true' : nothing} @click=${() => this.#open(entry)}>
            ${entry.role} ${entry.pid}
          </button>
        </td>
        <td>${entry.startWallMs === null ? 'not recorded' : dateTime(entry.startWallMs)}</td>
        <td class="number">${duration(entry.spanNs)}</td>
        <td>
          <span title=${entry.stateReason}>${entry.stateText}</span>
          ${entry.refused === null ? nothing : html`<span class="refused">Not recorded: ${entry.refused}</span>`}
        </td>
        <td class="number">${entry.role === 'engine' ? count(entry.steps) : '–'}</td>
        <td class="number">${entry.role === 'engine' ? count(entry.stallsOverLimit) : '–'}</td>
        <td class="number">${count(entry.problems)}</td>
        <td class="number">${bytes(entry.bytes)}</td>
      </tr>`;
  }

  #open(entry: EpochEntry): void {
    this.#dialog?.close();
    this.scope.open(entry.index).catch((thrown) => this.scope.fail(thrown));
  }

  #outside = (event: MouseEvent): void => {
    if (event.target === this.#dialog) this.#dialog?.close();
  };
}
