/** A reading under way: what was dropped, how far it is, a way to stop it. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Coming, Reading } from '../ingest/reading.js';
import { basics, controls } from '../theme/sheets.js';
import { bytes, count, counted, dateTime } from '../view/format.js';
import { cssProperties } from './css-properties.js';
import { ScopeElement } from './scope-element.js';

/** More rows than this say nothing more. */
const ROWS = 40;

@customElement('scope-reading')
export class ScopeReading extends ScopeElement {
  protected override readonly topics = ['phase'] as const;
  /** One line over an open view instead of a page. */
  @property({ type: Boolean, reflect: true }) declare slim: boolean;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        overflow: auto;
      }
      main {
        max-width: 860px;
        margin: 0 auto;
        padding: clamp(20px, 5vh, 56px) 20px 32px;
      }
      h2 {
        font-size: 18px;
        margin: 0 0 14px;
      }
      .bar {
        height: 6px;
        border-radius: 3px;
        background: var(--chosen);
        overflow: hidden;
      }
      .bar div {
        height: 100%;
        width: 100%;
        background: var(--decode);
        transform-origin: left;
      }
      .far {
        display: flex;
        gap: 12px;
        align-items: baseline;
        margin: 8px 0 24px;
        font-variant-numeric: tabular-nums;
      }
      .far button {
        margin-left: auto;
      }
      .slim {
        display: flex;
        align-items: center;
        gap: 12px;
        padding: 4px 16px;
        border-bottom: 1px solid var(--rule);
        background: var(--raised);
        font-variant-numeric: tabular-nums;
      }
      .slim .bar {
        flex: 1;
        min-width: 60px;
      }
      .wide {
        overflow-x: auto;
      }
      table {
        border-collapse: collapse;
        width: 100%;
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
        padding: 4px 16px 4px 0;
        border-top: 1px solid var(--rule);
      }
      td.host {
        color: var(--muted);
        padding-top: 10px;
        border-top: 0;
      }
      .notes {
        margin: 16px 0 0;
        padding: 0;
        list-style: none;
        color: var(--muted);
      }
    `,
  ];

  constructor() {
    super();
    this.slim = false;
  }

  override render(): TemplateResult | typeof nothing {
    const { reading, waiting } = this.scope;
    if (!reading) return nothing;
    const bar = html`<div
      class="bar"
      role="progressbar"
      aria-label="Bytes read"
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${Math.round(share(reading) * 100)}
    >
      <div ${cssProperties({ transform: `scaleX(${share(reading)})` })}></div>
    </div>`;
    const cancel = html`<button @click=${() => this.scope.cancel()}>Cancel</button>`;
    const queued =
      waiting > 0 ? html`<span class="muted">${counted(waiting, 'drop')} waiting</span>` : nothing;
    if (this.slim) {
      return html`<div class="slim"><span>${words(reading)}</span>${bar}${queued}${cancel}</div>`;
    }
    return html`<main>
      <h2>${heading(reading)}</h2>
      ${bar}
      <div class="far"><span>${words(reading)}</span>${queued}${cancel}</div>
      ${this.#epochs(reading)} ${this.#notes(reading)}
    </main>`;
  }

  #epochs(reading: Reading): TemplateResult | typeof nothing {
    const { coming } = reading;
    if (coming.length === 0) return nothing;
    return html`<div class="wide" tabindex="0" role="region" aria-label="What was found">
      <table>
        <thead>
          <tr>
            <th scope="col">Process</th>
            <th scope="col">Started, UTC</th>
            <th scope="col" class="number">Segments</th>
            <th scope="col" class="number">Size</th>
            <th scope="col">Missing</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          ${coming.slice(0, ROWS).map((each, i) => row(each, coming[i - 1]))}
        </tbody>
      </table>
      ${coming.length > ROWS ? html`<p class="muted">and ${count(coming.length - ROWS)} more</p>` : nothing}
    </div>`;
  }

  #notes(reading: Reading): TemplateResult {
    return html`<ul class="notes">
      ${reading.manifests.map(({ name, manifest }) => {
        const { leftOut, notes } = manifest;
        return html`${notes.slice(0, 5).map((note) => html`<li>${note} is no epoch folder and is left out.</li>`)}
        ${
          leftOut.count > 0
            ? html`<li title=${leftOut.paths.join('\n')}>
                ${counted(leftOut.count, 'other file')} of ${name} (${bytes(leftOut.bytes)}) left out:
                ${leftOut.paths.slice(0, 3).join(', ')}${leftOut.count > 3 ? ' …' : ''}
              </li>`
            : nothing
        }`;
      })}
    </ul>`;
  }
}

function row({ manifest, left, entry }: Coming, before: Coming | undefined): TemplateResult {
  const { hostBoot, role, pid, startNs, segments, missing } = manifest;
  const open = segments.some((segment) => segment.open);
  return html`${
    before?.manifest.hostBoot === hostBoot
      ? nothing
      : html`<tr><td class="host" colspan="6">${hostBoot || 'loose segments'}</td></tr>`
  }
    <tr>
      <td>${pid ? `${role} ${pid}` : role}</td>
      <td>${startNs ? dateTime(Number(BigInt(startNs) / 1_000_000n)) : '–'}</td>
      <td class="number">${count(segments.length)}${open ? ', 1 open' : ''}</td>
      <td class="number">${bytes(manifest.bytes)}</td>
      <td class="muted">${missing.join(', ') || '–'}</td>
      <td>${entry ? entry.stateText : left > 0 ? `${counted(left, 'file')} to go` : 'putting together'}</td>
    </tr>`;
}

function share(reading: Reading): number {
  return reading.bytesTotal > 0 ? Math.min(reading.bytes / reading.bytesTotal, 1) : 0;
}

function heading(reading: Reading): string {
  const names = reading.manifests.map(({ name }) => name);
  if (names.length === 0) return 'Looking at what was dropped';
  return `Reading ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''}`;
}

function words(reading: Reading): string {
  if (reading.stage === 'looking') return reading.note || 'Looking through the files';
  if (reading.stage === 'unpacking') return 'Looking into the archive';
  if (reading.bytesTotal === 0) return 'Putting together';
  const seconds = ((reading.parsingUntil || performance.now()) - reading.parsingSince) / 1000;
  const rate = seconds > 0.05 ? ` · ${bytes(Math.round(reading.bytes / seconds))}/s` : '';
  return `${bytes(reading.bytes)} of ${bytes(reading.bytesTotal)}${rate}`;
}
