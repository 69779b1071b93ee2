/** The overview strip, the time axis and the tracks, with one cursor over all of them. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { basics, controls } from '../theme/sheets.js';
import { heightOf } from '../tracks/members.js';
import { isLog } from '../tracks/requests.js';
import { type CanvasName, HEIGHTS, Stage } from '../tracks/stage.js';
import { counted } from '../view/format.js';
import { same } from '../view/range.js';
import type { TrackName } from '../view/state.js';
import { cssProperties } from './css-properties.js';
import { Hand } from './hand.js';
import { OverviewHand } from './overview-hand.js';
import { ScopeElement } from './scope-element.js';
import './scope-cursor.js';

interface Row {
  name: Exclude<TrackName, 'overview'>;
  title: string;
  note: string;
}

@customElement('scope-timeline')
export class ScopeTimeline extends ScopeElement {
  protected override readonly topics = ['epoch', 'view', 'range', 'theme'] as const;
  #stage: Stage | null = null;
  #sizes: ResizeObserver | null = null;
  #hand: Hand | null = null;
  #overviewHand: OverviewHand | null = null;
  #scrolledTo = 0;

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        position: relative;
        --label: 136px;
        --end: 16px;
      }
      .row {
        display: grid;
        grid-template-columns: var(--label) minmax(0, 1fr) var(--end);
        border-bottom: 1px solid var(--rule);
        flex: none;
      }
      .row.last {
        border-bottom: 0;
      }
      .label {
        padding: 5px 4px 3px 16px;
        line-height: 1.25;
        display: flex;
        flex-direction: column;
        min-width: 0;
        position: relative;
      }
      .label small {
        color: var(--muted);
        font-size: 11px;
      }
      .label h2 {
        font: inherit;
        margin: 0;
      }
      .label .table {
        position: absolute;
        top: 3px;
        right: 4px;
        opacity: 0;
        font-size: 11px;
        padding: 0 5px;
        background: var(--ground);
        border-color: var(--edge);
      }
      .row:hover .table,
      .label .table:focus-visible {
        opacity: 1;
      }
      .coverage .label {
        padding: 0 4px 0 16px;
        line-height: 17px;
      }
      .coverage .label .table {
        top: 0;
        line-height: 15px;
      }
      canvas {
        display: block;
      }
      .plot {
        position: relative;
        min-width: 0;
        overflow: hidden;
        touch-action: pan-y;
      }
      .tracks .plot {
        cursor: crosshair;
      }
      .tracks.panning .plot {
        cursor: grabbing;
      }
      .overview .plot {
        cursor: col-resize;
        touch-action: none;
      }
      .axis {
        background: var(--raised);
      }
      .axis .plot {
        cursor: grab;
      }
      .tracks {
        position: relative;
        flex: 1;
        display: flex;
        flex-direction: column;
        min-height: 0;
      }
      .members {
        flex: 1;
        min-height: 0;
        grid-template-rows: minmax(0, 1fr);
        grid-template-columns: var(--label) minmax(0, 1fr);
      }
      .members .label {
        overflow: hidden;
      }
      .scroll {
        overflow: hidden auto;
        position: relative;
        min-height: 0;
        scrollbar-width: thin;
        scrollbar-color: var(--edge) transparent;
        scrollbar-gutter: stable;
        touch-action: none;
      }
      .room {
        min-height: 100%;
      }
      .scroll canvas {
        position: sticky;
        top: 0;
      }
      .order {
        margin-top: 4px;
        align-self: start;
        padding: 1px 7px;
        font-size: 11px;
      }
      .box {
        position: absolute;
        top: 1px;
        bottom: 1px;
        left: 0;
        border: 2px solid var(--ink);
        border-radius: 2px;
        background: color-mix(in srgb, var(--ink) 7%, transparent);
        pointer-events: none;
      }
      .box.whole {
        border-width: 1px;
        background: none;
      }
      @media (max-width: 640px) {
        :host {
          --label: 12px;
          --end: 12px;
        }
        .row {
          grid-template-rows: auto auto;
        }
        .label,
        .coverage .label {
          grid-column: 1 / -1;
          flex-direction: row;
          gap: 8px;
          align-items: baseline;
          padding: 4px 12px 1px;
        }
        .label .table {
          position: static;
          opacity: 1;
          order: 4;
          margin-left: auto;
        }
        .order {
          margin: 0;
          order: 3;
        }
        .plot,
        .scroll {
          grid-column: 2;
        }
        .members {
          flex: none;
          grid-template-columns: var(--label) minmax(0, 1fr);
          grid-template-rows: auto minmax(0, 1fr);
          height: 320px;
        }
      }
    `,
  ];

  protected override told(): void {
    this.#stage?.draw();
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const { overview, view } = this.scope;
    const order = view?.laneOrder ?? 'seats';
    const lanes = (order === 'seats' ? overview?.lanes : overview?.lanesByArrival) ?? 0;
    const log = overview !== null && isLog(overview.seats, overview.maxLive, overview.maxWaiting);
    const rows: Row[] = [
      { name: 'loop', title: 'Loop', note: 'what the engine did' },
      { name: 'tokens', title: 'Tokens', note: 'per step, log' },
      { name: 'requests', title: 'Requests', note: log ? 'live · waiting, log' : 'live · waiting' },
    ];
    const isWhole = view === null || same(view.range, view.bounds);
    return html`
      <section class="row overview" aria-label="Overview">
        ${this.#label('overview', 'Overview', 'step time, max')}
        <div class="plot">
          ${this.#canvas('overview', HEIGHTS.overview)}
          <div class="box ${isWhole ? 'whole' : ''}" ${cssProperties(this.#box())}></div>
        </div>
      </section>
      <div class="row axis" aria-hidden="true">
        <div class="label"></div>
        <div class="plot">${this.#canvas('ruler', HEIGHTS.ruler)}</div>
      </div>
      <div class="tracks">
        ${rows.map(
          ({ name, title, note }) => html`
            <section class="row ${name}" aria-label=${title}>
              ${this.#label(name, title, note)}
              <div class="plot">${this.#canvas(name, HEIGHTS[name as 'loop'])}</div>
            </section>
          `,
        )}
        <section class="row members" aria-label="Members">
          ${this.#label(
            'members',
            'Members',
            `${counted(overview?.requests ?? 0, 'request')} in ${counted(lanes, 'lane')}`,
            html`<button
              class="order"
              aria-label=${`Lanes by ${order}: change the order`}
              title="Seats: a request takes the first free lane. Arrival: a lane each."
              @click=${() => this.scope.orderLanes(order === 'seats' ? 'arrival' : 'seats')}
            >
              by ${order}
            </button>`,
          )}
          <div class="scroll plot" tabindex="0" role="group" aria-label="Lanes" @scroll=${this.#scrolled}>
            <div class="room" ${cssProperties({ height: `${heightOf(lanes)}px` })}>
              ${this.#canvas('members', null)}
            </div>
          </div>
        </section>
        <section class="row coverage last" aria-label="Coverage">
          ${this.#label('coverage', 'Coverage', '')}
          <div class="plot">${this.#canvas('coverage', HEIGHTS.coverage)}</div>
        </section>
        <scope-cursor .scope=${this.scope}></scope-cursor>
      </div>
    `;
  }

  #canvas(name: CanvasName, height: number | null): TemplateResult {
    const size = height === null ? {} : { height: `${height}px` };
    return html`<canvas data-name=${name} aria-hidden="true" ${cssProperties(size)}></canvas>`;
  }

  #label(name: TrackName, title: string, note: string, more: unknown = nothing): TemplateResult {
    const shown = this.scope.view?.table === name;
    return html`<div class="label">
      <h2>${title}</h2>
      ${note ? html`<small>${note}</small>` : nothing} ${more}
      <button
        class="table"
        aria-pressed=${shown ? 'true' : 'false'}
        aria-label=${`${title} as a table`}
        title=${`${title} as a table: every mark of the visible range`}
        @click=${() => this.scope.showTable(shown ? null : name)}
      >
        table
      </button>
    </div>`;
  }

  /** The visible range in the overview. */
  #box(): Record<string, string> {
    const { view } = this.scope;
    const width = this.#stage?.width ?? 0;
    if (!view || width === 0) return {};
    const whole = view.bounds.t1 - view.bounds.t0 || 1;
    const left = ((view.range.t0 - view.bounds.t0) / whole) * width;
    const wide = Math.max(((view.range.t1 - view.range.t0) / whole) * width, 4);
    return { transform: `translateX(${Math.min(left, width - 4)}px)`, width: `${wide}px` };
  }

  #scrolled = (event: Event): void => {
    this.#scrolledTo = (event.target as HTMLElement).scrollTop;
    this.scope.scroll(this.#scrolledTo);
  };

  override firstUpdated(): void {
    const root = this.renderRoot as ShadowRoot;
    this.#stage = new Stage(this.scope);
    this.#sizes = new ResizeObserver(() => this.#resize());
    const scroll = root.querySelector('.scroll') as HTMLElement;
    this.#sizes.observe(scroll);
    this.#sizes.observe(root.querySelector('.overview .plot') as HTMLElement);
    const tracks = root.querySelector('.tracks') as HTMLElement;
    this.#hand = new Hand(tracks, this.scope, { scroll });
    this.#overviewHand = new OverviewHand(root.querySelector('.overview .plot') as HTMLElement, this.scope);
  }

  protected override updated(): void {
    const { scrolled } = this.scope;
    // Compared with what was set, not with the element's own: asking that would force a layout on every frame.
    if (scrolled === this.#scrolledTo) return;
    this.#scrolledTo = scrolled;
    (this.renderRoot.querySelector('.scroll') as HTMLElement).scrollTop = scrolled;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stage?.stop();
    this.#sizes?.disconnect();
    this.#hand?.letGo();
    this.#overviewHand?.letGo();
  }

  #resize(): void {
    const root = this.renderRoot as ShadowRoot;
    const canvases = new Map<CanvasName, HTMLCanvasElement>();
    for (const canvas of root.querySelectorAll<HTMLCanvasElement>('canvas[data-name]')) {
      canvases.set(canvas.dataset['name'] as CanvasName, canvas);
    }
    const stage = this.#stage;
    if (!stage) return;
    stage.attach(canvases);
    const plot = root.querySelector('.overview .plot') as HTMLElement;
    const scroll = root.querySelector('.scroll') as HTMLElement;
    stage.resize(plot.clientWidth, scroll.clientHeight);
    if (!this.scope.overview) stage.rehearse();
    this.requestUpdate();
  }
}
