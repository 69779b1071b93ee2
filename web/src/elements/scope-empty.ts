/** An epoch without steps to draw: why, and what a worker counted. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { basics, controls } from '../theme/sheets.js';
import { sentence } from './parts.js';
import { ScopeElement } from './scope-element.js';

@customElement('scope-empty')
export class ScopeEmpty extends ScopeElement {
  protected override readonly topics = ['epoch'] as const;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        position: relative;
        overflow: auto;
        padding: 28px 24px;
      }
      .inside {
        max-width: 640px;
        margin: 0 auto;
      }
      h2 {
        font-size: 16px;
        margin: 0 0 6px;
      }
      table {
        border-collapse: collapse;
        margin-top: 18px;
        width: 100%;
      }
      th {
        text-align: left;
        font-weight: 400;
        padding: 5px 16px 5px 0;
        vertical-align: baseline;
      }
      td {
        padding: 5px 16px 5px 0;
        vertical-align: baseline;
      }
      tr + tr > * {
        border-top: 1px solid var(--rule);
      }
      td.number {
        white-space: nowrap;
      }
    `,
  ];

  override render(): TemplateResult | typeof nothing {
    const { overview } = this.scope;
    if (!overview?.empty) return nothing;
    const { empty, worker } = overview;
    return html`<div class="inside" tabindex="0" role="region" aria-label="Why nothing is drawn">
      <h2>${empty.title}</h2>
      <p>${sentence(empty.parts, this.scope)}</p>
      ${
        worker.length > 0
          ? html`<table>
            <caption class="unseen">Counters of the worker</caption>
            <tbody>
              ${worker.map(
                ({ label, value, note }) => html`<tr>
                  <th scope="row">${label}</th>
                  <td class="number">${value}</td>
                  <td class="muted">${note}</td>
                </tr>`,
              )}
            </tbody>
          </table>`
          : nothing
      }
    </div>`;
  }
}
