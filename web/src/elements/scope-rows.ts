/** A table of any length: only the rows in sight exist. A grid to a screen reader, walked with the arrow keys. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { basics, controls } from '../theme/sheets.js';
import { cssProperties } from './css-properties.js';

export interface Column<Row> {
  readonly head: string;
  /** Least width, CSS pixels. */
  readonly width: number;
  /** Share of the room that is left over. */
  readonly grow?: number;
  readonly numeric?: boolean;
  readonly title?: string;
  /** The order that a click on the head asks for. */
  readonly sort?: string;
  cell(row: Row): unknown;
}

/** Where rows come from. A new source starts from the top. */
export interface Source<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly total: number;
  /** The order the rows are in, one of the columns' `sort`. */
  readonly sorted?: string;
  /** Null when overtaken by a newer request. */
  fetch(from: number, count: number): Promise<readonly Row[] | null> | readonly Row[];
  /** A row that is a heading of those under it. */
  heading?(row: Row): unknown | null;
  /** What is said when there is no row. */
  readonly empty: unknown;
}

const ROW = 25;
const GAP = 10;
const PAD = 12;
/** Browsers draw no taller boxes than some thirty million pixels. */
const TALLEST = 8_000_000;
const AROUND = 30;

let grids = 0;

/** IDs of rows are unique among the grids of a page. */
function nextName(): string {
  grids += 1;
  return `rows-${grids}`;
}

@customElement('scope-rows')
export class ScopeRows<Row> extends LitElement {
  @property({ attribute: false }) declare source: Source<Row>;
  /** Position of the row that is selected elsewhere; it is brought into sight when it changes. */
  @property({ attribute: false }) declare selected: number | null;
  @state() declare private active: number;
  @state() declare private top: number;
  @state() declare private have: { from: number; rows: readonly Row[] };
  #height = 0;
  #sizes: ResizeObserver | null = null;
  #asking = '';
  readonly #name = nextName();

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: block;
        min-height: 0;
        min-width: 0;
      }
      .grid {
        height: 100%;
        overflow: auto;
        scrollbar-width: thin;
        scrollbar-color: var(--edge) transparent;
        position: relative;
      }
      .grid:focus-visible {
        outline-offset: -2px;
      }
      .head,
      .row {
        display: grid;
        grid-template-columns: var(--columns);
        column-gap: ${GAP}px;
        padding: 0 ${PAD}px;
        min-width: var(--least);
        align-items: center;
      }
      .head {
        position: sticky;
        top: 0;
        z-index: 1;
        height: 26px;
        background: var(--raised);
        color: var(--muted);
        font-size: 12px;
        white-space: nowrap;
        border-bottom: 1px solid var(--rule);
      }
      .head button {
        border: 0;
        padding: 0;
        border-radius: 2px;
        color: inherit;
      }
      .head button:hover {
        background: none;
        color: var(--ink);
      }
      [aria-sort] button {
        color: var(--ink);
      }
      .body {
        position: relative;
        min-width: var(--least);
      }
      .row {
        position: absolute;
        top: 0;
        left: 0;
        right: 0;
        height: ${ROW}px;
        border-bottom: 1px solid var(--rule);
        white-space: nowrap;
        cursor: default;
      }
      .row > * {
        overflow: hidden;
        text-overflow: ellipsis;
        min-width: 0;
      }
      .row:hover {
        background: var(--raised);
      }
      .row[aria-selected='true'] {
        background: var(--chosen);
      }
      .grid:focus-visible .row.active {
        outline: 2px solid var(--focus);
        outline-offset: -2px;
      }
      .row.heading {
        display: block;
        line-height: ${ROW - 1}px;
        color: var(--muted);
        background: var(--raised);
        font-size: 12px;
      }
      .row.heading > span {
        position: sticky;
        left: 12px;
      }
      .empty {
        padding: 14px 12px;
        color: var(--muted);
        position: sticky;
        left: 0;
      }
      .dot {
        display: inline-block;
        width: 8px;
        height: 8px;
        margin-right: 6px;
      }
      .dot.host {
        background: var(--host);
        border-radius: 50%;
      }
      .dot.gpu {
        background: var(--host-or-gpu);
        transform: rotate(45deg) scale(0.9);
      }
      .wrong {
        color: var(--host-text);
      }
      .faint {
        color: var(--muted);
      }
    `,
  ];

  constructor() {
    super();
    this.selected = null;
    this.active = 0;
    this.top = 0;
    this.have = { from: 0, rows: [] };
  }

  /** The keyboard is in the table. */
  takeFocus(): void {
    (this.renderRoot.querySelector('.grid') as HTMLElement | null)?.focus();
  }

  get #total(): number {
    return this.source.total;
  }

  /** Of the whole body, CSS pixels; less than the rows need when they are too many. */
  get #bodyHeight(): number {
    return Math.min(this.#total * ROW, TALLEST);
  }

  get #room(): number {
    return Math.max(this.#height - 27, ROW);
  }

  /** The first row in sight, with a fraction. */
  get #first(): number {
    const scrollable = this.#bodyHeight - this.#room;
    if (scrollable <= 0) return 0;
    return (Math.min(this.top, scrollable) / scrollable) * Math.max(this.#total - this.#room / ROW, 0);
  }

  #scrollTo(row: number): void {
    const grid = this.renderRoot.querySelector('.grid');
    if (!grid) return;
    const first = this.#first;
    const seen = this.#room / ROW;
    const wanted = row < first ? row : row + 1 > first + seen ? row + 1 - seen : null;
    if (wanted === null) return;
    const scrollable = this.#bodyHeight - this.#room;
    grid.scrollTop = (wanted / Math.max(this.#total - seen, 1)) * scrollable;
    this.top = grid.scrollTop;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('source')) {
      this.have = { from: 0, rows: [] };
      this.#asking = '';
      if (changed.get('source')) {
        const before = changed.get('source') as Source<Row>;
        if (before.label !== this.source.label || before.sorted !== this.source.sorted) {
          this.active = 0;
          this.top = 0;
          const grid = this.renderRoot.querySelector('.grid');
          if (grid) grid.scrollTop = 0;
        }
      }
      this.active = Math.min(this.active, Math.max(this.#total - 1, 0));
    }
    this.#fetch();
  }

  protected override updated(changed: PropertyValues): void {
    if ((changed.has('selected') || changed.has('source')) && this.selected !== null) {
      this.active = this.selected;
      this.#scrollTo(this.selected);
    }
  }

  override firstUpdated(): void {
    this.#sizes = new ResizeObserver(() => {
      this.#height = (this.renderRoot.querySelector('.grid') as HTMLElement).clientHeight;
      if (this.selected !== null) this.#scrollTo(this.selected);
      this.requestUpdate();
    });
    this.#sizes.observe(this.renderRoot.querySelector('.grid') as HTMLElement);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes?.disconnect();
  }

  #fetch(): void {
    const seen = Math.ceil(this.#room / ROW) + 1;
    const first = Math.floor(this.#first);
    const end = Math.min(first + seen, this.#total);
    const { from, rows } = this.have;
    if (end <= first || (from <= first && from + rows.length >= end)) return;
    const start = Math.max(0, first - AROUND);
    const wanted = Math.min(this.#total, end + AROUND) - start;
    const asking = `${start} ${wanted}`;
    if (asking === this.#asking) return;
    const { source } = this;
    const got = source.fetch(start, wanted);
    if (!(got instanceof Promise)) {
      this.have = { from: start, rows: got };
      return;
    }
    this.#asking = asking;
    got.then((result) => {
      if (this.source !== source) return;
      if (this.#asking === asking) this.#asking = '';
      if (result) this.have = { from: start, rows: result };
      else this.requestUpdate();
    });
  }

  override render(): TemplateResult {
    const { source } = this;
    const { columns, total } = source;
    return html`<div
      class="grid"
      role="grid"
      tabindex="0"
      aria-label=${source.label}
      aria-rowcount=${total + 1}
      aria-activedescendant=${total > 0 ? this.#id(this.active) : nothing}
      ${cssProperties(tracks(columns))}
      @scroll=${this.#scrolled}
      @keydown=${this.#key}
    >
      <div class="head" role="row" aria-rowindex="1">${columns.map((column) => this.#head(column))}</div>
      ${
        total === 0
          ? html`<div role="row"><div class="empty" role="gridcell">${source.empty}</div></div>`
          : html`<div class="body" role="rowgroup" ${cssProperties({ height: `${this.#bodyHeight}px` })}>
              ${this.#rows()}
            </div>`
      }
    </div>`;
  }

  #head({ head, numeric, sort, title }: Column<Row>): TemplateResult {
    const sorted = sort !== undefined && sort === this.source.sorted;
    return html`<div
      role="columnheader"
      class=${numeric ? 'number' : ''}
      title=${title ?? nothing}
      aria-sort=${sorted ? (sort === 'time' ? 'ascending' : 'descending') : nothing}
    >
      ${
        sort === undefined
          ? head
          : html`<button tabindex=${sorted ? -1 : 0} @click=${() => this.#sort(sort)}>
              ${head}${sorted ? (sort === 'time' ? ' ↑' : ' ↓') : ''}
            </button>`
      }
    </div>`;
  }

  #sort(by: string): void {
    this.dispatchEvent(new CustomEvent('order', { detail: by }));
  }

  #rows(): TemplateResult[] {
    const first = Math.floor(this.#first);
    const end = Math.min(first + Math.ceil(this.#room / ROW) + 1, this.#total);
    const scaled = this.#total * ROW > TALLEST;
    const list: TemplateResult[] = [];
    for (let i = first; i < end; i += 1) {
      const row = this.have.rows[i - this.have.from];
      if (row === undefined) continue;
      // When the body is shorter than its rows, they are placed around the scroll position instead.
      const y = scaled ? this.top + (i - this.#first) * ROW : i * ROW;
      list.push(this.#row(row, i, y));
    }
    return list;
  }

  #row(row: Row, i: number, y: number): TemplateResult {
    const place = cssProperties({ transform: `translateY(${y}px)` });
    const heading = this.source.heading?.(row) ?? null;
    if (heading !== null) {
      return html`<div class="row heading ${i === this.active ? 'active' : ''}" role="row" id=${this.#id(i)} aria-rowindex=${i + 2} ${place}>
        <span role="gridcell" aria-colspan=${this.source.columns.length}>${heading}</span>
      </div>`;
    }
    return html`<div
      class="row ${i === this.active ? 'active' : ''}"
      role="row"
      id=${this.#id(i)}
      aria-rowindex=${i + 2}
      aria-selected=${i === this.selected ? 'true' : 'false'}
      ${place}
      @click=${() => this.#pick(i)}
    >
      ${this.source.columns.map(
        (column) =>
          html`<div role="gridcell" class=${column.numeric ? 'number' : ''}>${column.cell(row)}</div>`,
      )}
    </div>`;
  }

  #id(row: number): string {
    return `${this.#name}-${row}`;
  }

  #scrolled = (event: Event): void => {
    this.top = (event.target as HTMLElement).scrollTop;
  };

  #key = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(this.#room / ROW) - 1);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -this.#total,
      End: this.#total,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      this.active = Math.min(Math.max(this.active + step, 0), this.#total - 1);
      this.#scrollTo(this.active);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (event.composedPath()[0] instanceof HTMLButtonElement) return;
      this.#pick(this.active);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  #pick(i: number): void {
    this.active = i;
    const row = this.have.rows[i - this.have.from];
    if (row !== undefined && (this.source.heading?.(row) ?? null) === null) {
      this.dispatchEvent(new CustomEvent('pick', { detail: { row, at: i } }));
    }
  }
}

function tracks(columns: readonly { width: number; grow?: number }[]): Record<string, string> {
  const least = columns.reduce((sum, { width }) => sum + width + GAP, 2 * PAD - GAP);
  const sizes = columns.map(({ width, grow }) => (grow ? `minmax(${width}px, ${grow}fr)` : `${width}px`));
  return { '--columns': sizes.join(' '), '--least': `${least}px` };
}
