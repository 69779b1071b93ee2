/** The two sentences that come before any picture: can the log be trusted, and what happened. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Line } from '../session/answers.js';
import { basics, controls } from '../theme/sheets.js';
import { sign } from './level.js';
import { sentence } from './parts.js';
import { ScopeElement } from './scope-element.js';

@customElement('scope-lines')
export class ScopeLines extends ScopeElement {
  protected override readonly topics = ['epoch', 'theme'] as const;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        padding: 7px 16px;
        border-bottom: 1px solid var(--rule);
      }
      dl {
        display: grid;
        grid-template-columns: 60px 16px minmax(0, 1fr);
        gap: 2px 6px;
        margin: 0;
        align-items: baseline;
      }
      dt {
        color: var(--muted);
        font-size: 11px;
        letter-spacing: 0.04em;
        text-transform: uppercase;
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      svg {
        position: relative;
        top: 2px;
      }
      @media (max-width: 640px) {
        dl {
          grid-template-columns: 16px minmax(0, 1fr);
        }
        dt {
          grid-column: 1 / -1;
        }
      }
    `,
  ];

  override render(): TemplateResult | typeof nothing {
    const { overview } = this.scope;
    if (!overview) return nothing;
    return html`<dl>${this.#line('Trust', overview.trust)} ${this.#line('Verdict', overview.verdict)}</dl>`;
  }

  #line(title: string, line: Line): TemplateResult {
    return html`<dt>${title}</dt>
      <dd class="sign">${sign(line.level)}</dd>
      <dd>${sentence(line.parts, this.scope)}</dd>`;
  }
}
