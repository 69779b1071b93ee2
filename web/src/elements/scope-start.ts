/** The first screen: what this is, the ways in, what happens to the files. */

import { css, html, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { basics, controls } from '../theme/sheets.js';
import { ScopeElement } from './scope-element.js';
import './scope-ways.js';

@customElement('scope-start')
export class ScopeStart extends ScopeElement {
  @property({ type: Boolean }) declare over: boolean;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        padding: clamp(20px, 7vh, 72px) 20px 32px;
      }
      main {
        max-width: 680px;
        margin: 0 auto;
      }
      .lead {
        font-size: 20px;
        line-height: 1.35;
        margin: 0 0 24px;
        letter-spacing: -0.01em;
        text-wrap: balance;
      }
      .promise {
        margin: 14px 0 32px;
        text-align: center;
      }
      .below {
        display: grid;
        grid-template-columns: 1fr 1fr;
        gap: 12px 32px;
        border-top: 1px solid var(--rule);
        padding-top: 16px;
      }
      h2 {
        font-size: 13px;
        margin: 0 0 4px;
      }
      .below p {
        margin: 0;
        color: var(--muted);
      }
      pre {
        margin: 0;
        font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
        color: var(--muted);
        overflow-x: auto;
      }
      pre b {
        color: var(--ink);
        font-weight: 400;
      }
      @media (max-width: 640px) {
        .below {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  override render(): TemplateResult {
    return html`<main>
      <p class="lead">
        See which requests ran together in every step of a vLLM server, where its engine stalled, and whether
        to trust the log.
      </p>
      <scope-ways .scope=${this.scope} ?over=${this.over}></scope-ways>
      <p class="promise"><strong>Nothing is uploaded.</strong> The files are read and judged in this tab.</p>
      <div class="below">
        <div>
          <h2>What a hook directory looks like</h2>
          <pre><b>hook directory/</b>
  node-7-9f03c2d1-…/
    engine-2600-1796067384…/
      000000.jsonl
      000001.jsonl.part
      status.json</pre>
        </div>
        <div>
          <h2>What you will see</h2>
          <p>
            Every step of the scheduler with its members, stalls over their limit and whose they are, the life
            of each request, and where records are missing.
          </p>
        </div>
      </div>
    </main>`;
  }
}
