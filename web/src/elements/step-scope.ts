/** The page: start, reading or view, with whatever went wrong over it. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { takeHandles, walk } from '../ingest/drop.js';
import { addressGather, sampleGather } from '../ingest/sample.js';
import { Scope } from '../scope.js';
import type { SessionClient } from '../session/client.js';
import { basics, controls, dialogs } from '../theme/sheets.js';
import { Theme } from '../theme/theme.js';
import { count } from '../view/format.js';
import type { Pool } from '../workers/pool.js';
import { cssProperties } from './css-properties.js';
import { KeyHand } from './key-hand.js';
import type { ScopeEpochs } from './scope-epochs.js';
import type { ScopeKeys } from './scope-keys.js';
import './scope-empty.js';
import './scope-epochs.js';
import './scope-header.js';
import './scope-keys.js';
import './scope-lines.js';
import './scope-notice.js';
import './scope-panel.js';
import './scope-reading.js';
import './scope-start.js';
import './scope-timeline.js';

const LEAST_PANEL = 120;

@customElement('step-scope')
export class StepScope extends LitElement {
  scope: Scope | null = null;
  @state() declare private over: boolean;
  /** Height of the panel, CSS pixels; null for the usual share. */
  @state() declare private panel: number | null;
  readonly #ended = new AbortController();

  static override styles = [
    basics,
    controls,
    dialogs,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100dvh;
        background: var(--ground);
        font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      }
      .start {
        overflow: auto;
        flex: 1;
      }
      main {
        flex: 1;
        min-height: 0;
        display: flex;
        flex-direction: column;
      }
      .unseen-yet {
        position: fixed;
        inset: 0;
        visibility: hidden;
        pointer-events: none;
      }
      .view {
        flex: 1;
        min-height: 0;
        display: grid;
        grid-template-rows: minmax(0, 1fr) 0 var(--panel, 31%);
      }
      scope-reading:not([slim]) {
        flex: 1;
      }
      .grip {
        position: relative;
        z-index: 2;
        height: 9px;
        margin: -4px 0 0;
        cursor: row-resize;
        touch-action: none;
      }
      .grip:hover,
      .grip:focus-visible {
        background: var(--focus);
        opacity: 0.5;
      }
      .close {
        float: right;
      }
      .opening {
        width: min(620px, calc(100vw - 80px));
      }
      .dropping {
        position: fixed;
        inset: 0;
        z-index: 10;
        display: grid;
        place-items: center;
        background: color-mix(in srgb, var(--ground) 82%, transparent);
        border: 3px solid var(--focus);
        font-size: 18px;
        font-weight: 600;
        pointer-events: none;
      }
      @media (max-width: 900px) {
        :host {
          height: auto;
          min-height: 100dvh;
        }
        .view {
          display: block;
        }
        .grip {
          display: none;
        }
      }
      @media (min-width: 641px) and (max-width: 900px) {
        scope-timeline {
          height: 620px;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.over = false;
    this.panel = null;
  }

  /** Gives the element its workers; before that it shows nothing. */
  begin(session: SessionClient, pool: Pool): Scope {
    const scope = new Scope(session, pool);
    this.scope = scope;
    scope.theme = new Theme(this, () => scope.changed('theme'));
    scope.follow(['phase', 'epoch'], () => this.requestUpdate());
    new KeyHand(scope, this.#ended.signal, () => this.#showKeys());
    this.#listenForDrops(scope);
    this.#fromAddress(scope);
    this.requestUpdate();
    whenIdle(() => {
      this.#made = true;
      this.requestUpdate();
    });
    return scope;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#ended.abort();
  }

  #fromAddress(scope: Scope): void {
    const open = (): void => {
      const wanted = new URLSearchParams(location.hash.slice(1));
      const url = wanted.get('url');
      if (url) scope.read(addressGather(url));
      else if (wanted.has('sample')) scope.read(sampleGather);
    };
    window.addEventListener('hashchange', open, { signal: this.#ended.signal });
    open();
  }

  /** Anywhere on the page: a file dropped beside the zone must not replace the page. */
  #listenForDrops(scope: Scope): void {
    const { signal } = this.#ended;
    let inside = 0;
    window.addEventListener(
      'dragenter',
      (event) => {
        inside += 1;
        this.over = event.dataTransfer?.types.includes('Files') ?? false;
      },
      { signal },
    );
    window.addEventListener(
      'dragleave',
      () => {
        inside -= 1;
        if (inside <= 0) this.over = false;
      },
      { signal },
    );
    window.addEventListener('dragover', (event) => event.preventDefault(), { signal });
    window.addEventListener(
      'drop',
      (event) => {
        event.preventDefault();
        inside = 0;
        this.over = false;
        if (!event.dataTransfer) return;
        const handles = takeHandles(event.dataTransfer);
        if (handles.length === 0) return;
        this.#closeDialogs();
        scope.read((stop, told) =>
          walk(handles, stop, (files) => told(`Looking through the files, ${count(files)} so far`)),
        );
      },
      { signal },
    );
  }

  override render(): TemplateResult | typeof nothing {
    const { scope } = this;
    if (!scope) return nothing;
    return html`
      <scope-header role="banner" .scope=${scope} @want=${this.#wanted}></scope-header>
      ${this.#notices(scope)} ${this.#body(scope)}
      <scope-keys></scope-keys>
      <scope-epochs .scope=${scope}></scope-epochs>
      <dialog id="open" aria-labelledby="open-title" @began=${this.#closeDialogs}>
        <button class="close" @click=${this.#closeDialogs}>Close</button>
        <h2 id="open-title">Add epochs</h2>
        ${
          scope.overview
            ? html`<div class="opening"><scope-ways .scope=${scope} ?over=${this.over}></scope-ways></div>`
            : nothing
        }
      </dialog>
      ${this.over && scope.overview ? html`<div class="dropping">Drop to add its epochs</div>` : nothing}
    `;
  }

  #notices(scope: Scope): TemplateResult | typeof nothing {
    if (scope.broken) return html`<scope-notice .failure=${scope.broken}></scope-notice>`;
    if (!scope.failure) return nothing;
    return html`<scope-notice .failure=${scope.failure} closes @close=${() => scope.closeFailure()}></scope-notice>`;
  }

  #body(scope: Scope): TemplateResult {
    const { overview, reading } = scope;
    this.#made ||= overview !== null || reading?.stage === 'parsing';
    return html`${overview ? nothing : this.#before(scope)} ${this.#made ? this.#view(scope) : nothing}`;
  }

  /**
   * The view is made before there is anything to see, while the browser has nothing else to do: when an epoch is there,
   * the view only has to be filled.
   */
  #made = false;

  #before(scope: Scope): TemplateResult {
    return scope.reading
      ? html`<scope-reading .scope=${scope}></scope-reading>`
      : html`<scope-start class="start" .scope=${scope} .over=${this.over}></scope-start>`;
  }

  #view(scope: Scope): TemplateResult {
    const { overview, reading } = scope;
    return html`<main class=${overview ? '' : 'unseen-yet'} ?inert=${overview === null}>
      ${reading && overview ? html`<scope-reading slim .scope=${scope}></scope-reading>` : nothing}
      <scope-lines .scope=${scope}></scope-lines>
      <div class="view" ${cssProperties(this.panel === null ? {} : { '--panel': `${this.panel}px` })}>
        ${
          overview?.empty
            ? html`<scope-empty .scope=${scope}></scope-empty>`
            : html`<scope-timeline .scope=${scope}></scope-timeline>`
        }
        <div
          class="grip"
          role="separator"
          tabindex="0"
          aria-orientation="horizontal"
          aria-label="Height of the tables"
          aria-valuemin="10"
          aria-valuemax="80"
          aria-valuenow=${this.#panelShare()}
          @pointerdown=${this.#grab}
          @keydown=${this.#gripKey}
        ></div>
        <scope-panel .scope=${scope}></scope-panel>
      </div>
    </main>`;
  }

  #panelShare(): number {
    return this.panel === null ? 31 : Math.round((this.panel / Math.max(this.clientHeight, 1)) * 100);
  }

  #setPanel(height: number): void {
    const most = this.clientHeight - 320;
    this.panel = Math.max(Math.min(height, most), LEAST_PANEL);
  }

  #grab = (event: PointerEvent): void => {
    const grip = event.currentTarget as HTMLElement;
    grip.setPointerCapture(event.pointerId);
    const panel = this.renderRoot.querySelector('scope-panel') as HTMLElement;
    const from = event.clientY;
    const height = panel.clientHeight;
    const move = (now: PointerEvent): void => this.#setPanel(height + from - now.clientY);
    grip.addEventListener('pointermove', move);
    grip.addEventListener('lostpointercapture', () => grip.removeEventListener('pointermove', move), {
      once: true,
    });
  };

  #gripKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? 24 : event.key === 'ArrowDown' ? -24 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const panel = this.renderRoot.querySelector('scope-panel') as HTMLElement;
    this.#setPanel(panel.clientHeight + step);
  };

  #wanted = (event: CustomEvent<string>): void => {
    if (event.detail === 'keys') this.#showKeys();
    else if (event.detail === 'epochs') (this.renderRoot.querySelector('scope-epochs') as ScopeEpochs).show();
    else (this.renderRoot.querySelector('#open') as HTMLDialogElement).showModal();
  };

  #showKeys(): void {
    (this.renderRoot.querySelector('scope-keys') as ScopeKeys).show();
  }

  #closeDialogs = (): void => {
    (this.renderRoot.querySelector('#open') as HTMLDialogElement | null)?.close();
  };
}

/** Some browsers do not tell when they are idle. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act);
  else setTimeout(act, 200);
}
