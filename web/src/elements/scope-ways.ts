/** The ways in: a place to drop, two pickers, the sample, simulated ones. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { picked } from '../ingest/pick.js';
import { sampleGather } from '../ingest/sample.js';
import { basics, controls } from '../theme/sheets.js';
import { ScopeElement } from './scope-element.js';

@customElement('scope-ways')
export class ScopeWays extends ScopeElement {
  /** Something is dragged over the page. */
  @property({ type: Boolean, reflect: true }) declare over: boolean;
  /** The simulated samples are listed. */
  @property({ attribute: false }) declare listed: boolean;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
      }
      .zone {
        border: 2px dashed var(--edge);
        border-radius: 10px;
        padding: 40px 24px 34px;
        text-align: center;
      }
      :host([over]) .zone {
        border-color: var(--focus);
        border-style: solid;
        background: var(--chosen);
      }
      .what {
        font-size: 17px;
        font-weight: 600;
        margin: 0 0 4px;
      }
      .what + p {
        margin: 0 0 20px;
        color: var(--muted);
      }
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        justify-content: center;
      }
      .ways button {
        padding: 6px 14px;
      }
      input {
        display: none;
      }
    `,
  ];

  constructor() {
    super();
    this.over = false;
    this.listed = false;
  }

  override render(): TemplateResult {
    return html`
      <div class="zone">
        <p class="what">Drop a hook directory here</p>
        <p>a host or epoch folder in it, its segment files, or a .zip, .tar, .tar.gz of it</p>
        <div class="ways">
          <button class="primary" @click=${() => this.#click('#folder')}>Choose a folder</button>
          <button @click=${() => this.#click('#files')}>Choose an archive</button>
          <button @click=${this.#sample}>Open the sample</button>
          <button aria-expanded=${this.listed} @click=${this.#list}>
            Simulated samples <span aria-hidden="true">${this.listed ? '▴' : '▾'}</span>
          </button>
        </div>
        ${this.listed ? html`<scope-presets .scope=${this.scope}></scope-presets>` : nothing}
        <input id="folder" type="file" webkitdirectory aria-label="Folder" @change=${this.#chosen} />
        <input
          id="files"
          type="file"
          multiple
          aria-label="Archives or segments"
          accept=".zip,.tar,.tgz,.gz,.jsonl,.part"
          @change=${this.#chosen}
        />
      </div>
    `;
  }

  #click(input: string): void {
    (this.renderRoot.querySelector(input) as HTMLInputElement).click();
  }

  #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const listings = picked(input.files ?? []);
    // Emptied, so that the same folder can be chosen again after it has grown.
    input.value = '';
    this.#began();
    this.scope.read(async () => listings);
  };

  #sample = (): void => {
    this.#began();
    this.scope.read(sampleGather);
  };

  #list = async (): Promise<void> => {
    try {
      await import('./scope-presets.js');
      this.listed = !this.listed;
    } catch (thrown) {
      this.scope.fail(thrown);
    }
  };

  #began(): void {
    this.dispatchEvent(new CustomEvent('began', { bubbles: true, composed: true }));
  }
}
