/** Which epoch and range is shown; other epochs, more files, light or dark, the keys. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { basics, controls } from '../theme/sheets.js';
import type { Choice } from '../theme/theme.js';
import { between, count, dateTime, timeOfDay } from '../view/format.js';
import { same } from '../view/range.js';
import { ScopeElement } from './scope-element.js';

const NEXT: Record<Choice, Choice> = { system: 'light', light: 'dark', dark: 'system' };

@customElement('scope-header')
export class ScopeHeader extends ScopeElement {
  protected override readonly topics = ['phase', 'epoch', 'range', 'theme'] as const;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: 6px 14px;
        padding: 6px 14px 6px 16px;
        border-bottom: 1px solid var(--rule);
        flex-wrap: wrap;
        min-height: 40px;
      }
      h1 {
        font-size: 15px;
        margin: 0;
        letter-spacing: -0.01em;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 6px;
        color: var(--muted);
        min-width: 0;
        overflow-wrap: anywhere;
        font-variant-numeric: tabular-nums;
      }
      nav strong {
        color: var(--ink);
      }
      .epochs {
        color: var(--ink);
        font-weight: 600;
      }
      .actions {
        margin-left: auto;
        display: flex;
        gap: 6px;
      }
      @media (max-width: 640px) {
        nav {
          order: 3;
          width: 100%;
        }
      }
    `,
  ];

  override render(): TemplateResult {
    return html`
      <h1>Stepscope</h1>
      ${this.#crumbs()}
      <div class="actions">
        ${this.scope.overview ? html`<button @click=${() => this.#want('open')}>Open…</button>` : nothing}
        ${this.#themeButton()}
        <button aria-label="Keys and gestures" title="Keys and gestures (?)" @click=${() => this.#want('keys')}>
          ?
        </button>
      </div>
    `;
  }

  #crumbs(): TemplateResult | typeof nothing {
    const { overview, view, epochs } = this.scope;
    if (!overview || !view) return nothing;
    const { entry } = overview;
    const name = `${entry.role} ${entry.pid}`;
    const more = epochs.length > 1 ? ` · ${count(epochs.length)} epochs` : '';
    const start = overview.originWallMs;
    const end = start === null ? null : start + (overview.t1 - overview.t0) / 1e6;
    return html`<nav aria-label="What is shown">
      <span>${entry.host || 'unknown host'}</span> <span aria-hidden="true">›</span>
      <button class="epochs inline" title="All epochs" @click=${() => this.#want('epochs')}>${name}${more}</button>
      ${
        start === null || end === null
          ? nothing
          : html`<span aria-hidden="true">›</span>
            <span title=${`${dateTime(start)} to ${dateTime(end)} UTC`}>${timeOfDay(start)} – ${timeOfDay(end)} UTC</span>`
      }
      ${
        same(view.range, view.bounds) || overview.empty
          ? nothing
          : html`<span aria-hidden="true">›</span> <strong>${between(view.range.t0, view.range.t1)}</strong>`
      }
    </nav>`;
  }

  #themeButton(): TemplateResult {
    const { theme } = this.scope;
    const words: Record<Choice, string> = { system: 'as the system', light: 'light', dark: 'dark' };
    const signs: Record<Choice, string> = { system: '◐', light: '○', dark: '●' };
    return html`<button
      aria-label=${`Colours: ${words[theme.choice]}. Change to ${words[NEXT[theme.choice]]}`}
      title=${`Colours: ${words[theme.choice]}`}
      @click=${() => theme.choose(NEXT[theme.choice])}
    >
      ${signs[theme.choice]}
    </button>`;
  }

  #want(what: 'open' | 'keys' | 'epochs'): void {
    this.dispatchEvent(new CustomEvent('want', { detail: what, bubbles: true, composed: true }));
  }
}
