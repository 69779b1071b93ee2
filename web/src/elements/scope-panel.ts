/** The tabs under the tracks, and what is selected beside them. */

import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { type ConfigLine, configLines, configSource } from '../panels/config.js';
import { markSource, TITLES } from '../panels/marks.js';
import { problemSource } from '../panels/problems.js';
import { requestSource } from '../panels/requests.js';
import { lines, placeOf, type StallLine, type StallOrder, stallSource } from '../panels/stalls.js';
import { stepSource } from '../panels/steps.js';
import type { Mark, RequestOrder, RequestRow, StepRow, Tab } from '../session/answers.js';
import { OVERTAKEN } from '../session/client.js';
import { basics, controls } from '../theme/sheets.js';
import { between, count } from '../view/format.js';
import type { StepOrder, TrackName, ViewState } from '../view/state.js';
import { ScopeElement } from './scope-element.js';
import type { ScopeRows, Source } from './scope-rows.js';
import './scope-details.js';
import './scope-rows.js';

/** Of an epoch without steps only the last two say anything. */
const TABS: readonly { tab: Tab; title: string }[] = [
  { tab: 'stalls', title: 'Stalls' },
  { tab: 'steps', title: 'Steps' },
  { tab: 'requests', title: 'Requests' },
  { tab: 'problems', title: 'Problems' },
  { tab: 'config', title: 'Config' },
];

@customElement('scope-panel')
export class ScopePanel extends ScopeElement {
  protected override readonly topics = ['epoch', 'view'] as const;
  @state() declare private stallOrder: StallOrder;
  @state() declare private source: Source<never> | null;
  @state() declare private selected: number | null;
  #stallLines: StallLine[] = [];
  /** What the source was made for: it is made anew when that changes. */
  #made = '';

  static override styles = [
    basics,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(300px, 400px);
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        border-top: 1px solid var(--rule);
      }
      :host(.alone) {
        grid-template-columns: minmax(0, 1fr) 0;
      }
      [role='tablist'] {
        grid-column: 1 / -1;
        display: flex;
        background: var(--raised);
        border-bottom: 1px solid var(--rule);
        padding: 0 4px;
        overflow-x: auto;
        scrollbar-width: none;
      }
      [role='tab'] {
        border: 0;
        border-radius: 0;
        padding: 5px 12px;
        color: var(--muted);
        white-space: nowrap;
      }
      [role='tab']:focus-visible {
        outline-offset: -3px;
      }
      [role='tab'][aria-selected='true'] {
        color: var(--ink);
        background: var(--ground);
        font-weight: 600;
        box-shadow: inset 0 -2px var(--ink);
      }
      [role='tab'] span {
        font-variant-numeric: tabular-nums;
        margin-left: 5px;
      }
      [role='tabpanel'] {
        min-height: 0;
        min-width: 0;
        display: flex;
        flex-direction: column;
      }
      scope-rows {
        flex: 1;
      }
      input {
        font: inherit;
        color: inherit;
        background: var(--ground);
        border: 0;
        border-bottom: 1px solid var(--rule);
        border-radius: 0;
        padding: 4px 12px;
        margin: 0;
      }
      input::placeholder {
        color: var(--muted);
        opacity: 1;
      }
      input:focus-visible {
        outline: 2px solid var(--focus);
        outline-offset: -2px;
      }
      .differences {
        margin: 0;
        padding: 6px 12px;
        border-bottom: 1px solid var(--rule);
        color: var(--muted);
        font-size: 12px;
      }
      scope-details {
        border-left: 1px solid var(--rule);
        min-height: 0;
        min-width: 0;
      }
      @media (max-width: 900px) {
        :host,
        :host(.alone) {
          grid-template-columns: minmax(0, 1fr);
          grid-template-rows: auto auto auto;
        }
        scope-rows {
          height: 300px;
          flex: none;
        }
        scope-details {
          border-left: 0;
          border-top: 1px solid var(--rule);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.stallOrder = 'ratio';
    this.source = null;
    this.selected = null;
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    this.#makeSource();
    this.#place();
  }

  #makeSource(): void {
    const { overview, view, epoch } = this.scope;
    if (!overview || !view) {
      this.source ??= stallSource([], 'ratio') as unknown as Source<never>;
      return;
    }
    const orders: Partial<Record<Tab, string>> = {
      stalls: this.stallOrder,
      steps: view.stepOrder,
      requests: `${view.requestOrder} ${view.search}`,
    };
    const order = orders[view.tab] ?? '';
    const range = view.table ? `${view.range.t0} ${view.range.t1}` : '';
    const made = `${epoch} ${this.scope.bindings} ${view.table ?? view.tab} ${order} ${range}`;
    if (made === this.#made) return;
    this.#made = made;
    if (!view.table) this.#focused = null;
    if (view.table) this.#countMarks(made);
    else if (view.tab === 'stalls') {
      this.#stallLines = lines(overview.stalls, this.stallOrder);
      this.#use(stallSource(this.#stallLines, this.stallOrder));
    } else if (view.tab === 'steps') this.#use(stepSource(this.scope, overview.stepRows, view.stepOrder));
    else if (view.tab === 'requests') this.#countRequests(made, view);
    else if (view.tab === 'problems') this.#use(problemSource(this.scope, overview.problems));
    else this.#askConfig(made);
  }

  #use<Row>(source: Source<Row>): void {
    this.source = source as unknown as Source<never>;
  }

  #countMarks(made: string): void {
    const { scope } = this;
    const view = scope.view;
    const track = view?.table;
    if (!view || !track) return;
    const { range } = view;
    scope.session.ask('marks', 'marks', scope.epoch, track, range.t0, range.t1, 0, 0).then(
      (marks) => {
        if (marks === OVERTAKEN || made !== this.#made) return;
        this.#use(markSource(scope, track, range, marks.total));
        if (this.#focused !== track) this.updateComplete.then(() => this.#focusTable(track));
      },
      (thrown) => scope.fail(thrown),
    );
  }

  #countRequests(made: string, { requestOrder: order, search }: ViewState): void {
    const { scope } = this;
    const use = (total: number): void => this.#use(requestSource(scope, { order, search, total }));
    if (search === '') {
      use(scope.overview?.requests ?? 0);
      return;
    }
    scope.session.ask('requests', 'requestRows', scope.epoch, order, search, 0, 0).then(
      (found) => {
        if (found !== OVERTAKEN && made === this.#made) use(found.total);
      },
      (thrown) => scope.fail(thrown),
    );
  }

  /** The track whose table was given the keyboard when it was asked for. */
  #focused: TrackName | null = null;

  async #focusTable(track: TrackName): Promise<void> {
    this.#focused = track;
    const table = this.renderRoot.querySelector('scope-rows') as ScopeRows<unknown> | null;
    await table?.updateComplete;
    table?.takeFocus();
  }

  #askConfig(made: string): void {
    this.scope.session.ask('config', 'config', this.scope.epoch).then(
      (rows) => {
        if (rows === OVERTAKEN || made !== this.#made) return;
        const listed: ConfigLine[] = configLines(rows);
        this.#use(configSource(listed));
      },
      (thrown) => this.scope.fail(thrown),
    );
  }

  /** Where the selection stands in the table shown. */
  #place(): void {
    const { view } = this.scope;
    const selection = view?.selection;
    if (!view || view.table) {
      this.selected = null;
    } else if (view.tab === 'stalls') {
      this.selected = selection?.kind === 'stall' ? placeOf(this.#stallLines, selection.index) : null;
    } else if (view.tab === 'steps' && selection?.kind === 'step') {
      this.#placeStep(selection.index, view.stepOrder);
    } else if (view.tab === 'requests' && selection?.kind === 'request') {
      // Where it was picked; in another order or search it is not looked for.
      const { made, index, at } = this.#pickedRequest;
      this.selected = made === this.#made && index === selection.index ? at : null;
    } else {
      this.selected = null;
    }
  }

  #pickedRequest = { made: '', index: -1, at: -1 };

  #placed = '';

  #placeStep(step: number, order: StepOrder): void {
    const asked = `${this.scope.epoch} ${step} ${order}`;
    if (asked === this.#placed && this.selected !== null) return;
    this.#placed = asked;
    this.scope.session.ask('row of step', 'rowOfStep', this.scope.epoch, order, step).then(
      (row) => {
        if (row !== OVERTAKEN && asked === this.#placed) this.selected = row;
      },
      (thrown) => this.scope.fail(thrown),
    );
  }

  override render(): TemplateResult {
    const { overview, view } = this.scope;
    const real = overview?.stalls.filter((stall) => !stall.warmUp && !stall.lateHeartbeat).length ?? 0;
    const counts: Record<Tab, number | null> = {
      stalls: real,
      steps: overview?.steps ?? 0,
      requests: overview?.requests ?? 0,
      problems: overview?.problems ?? 0,
      config: null,
    };
    const tab = view?.tab ?? 'stalls';
    const table = view?.table ?? null;
    const range = view ? between(view.range.t0, view.range.t1) : '';
    const differences = tab === 'stalls' && !table ? (overview?.differences ?? []) : [];
    this.classList.toggle('alone', overview?.empty != null);
    return html`
      <div role="tablist" aria-label="Tables" @keydown=${this.#tabKey}>
        ${this.#tabs().map((each) => this.#tab(each.tab, each.title, counts[each.tab], !table && tab === each.tab))}
        ${table ? this.#tab(table, `${TITLES[table]} ${range}`, null, true) : nothing}
      </div>
      <div role="tabpanel" id="panel" aria-label=${table ? `${TITLES[table]} as a table` : tab}>
        ${differences.length > 0 ? html`<p class="differences">${differences.join(' ')}</p>` : nothing}
        ${tab === 'requests' && !table ? this.#search(view?.search ?? '') : nothing}
        ${
          this.source
            ? html`<scope-rows
                .source=${this.source}
                .selected=${this.selected}
                @pick=${this.#picked}
                @order=${this.#ordered}
              ></scope-rows>`
            : nothing
        }
      </div>
      ${overview?.empty ? nothing : html`<scope-details .scope=${this.scope}></scope-details>`}
    `;
  }

  #search(search: string): TemplateResult {
    return html`<input
      type="search"
      placeholder="Search by any part of an ID"
      aria-label="Search requests by ID"
      spellcheck="false"
      autocomplete="off"
      .value=${search}
      @input=${(event: InputEvent) => this.scope.search((event.target as HTMLInputElement).value)}
      @keydown=${(event: KeyboardEvent) => event.stopPropagation()}
    />`;
  }

  #tabs(): typeof TABS {
    return this.scope.overview?.empty ? TABS.slice(-2) : TABS;
  }

  #tab(id: string, title: string, n: number | null, selected: boolean): TemplateResult {
    return html`<button
      role="tab"
      id=${`tab-${id}`}
      aria-selected=${selected ? 'true' : 'false'}
      aria-controls="panel"
      tabindex=${selected ? 0 : -1}
      @click=${() => {
        const tab = TABS.find((each) => each.tab === id);
        if (tab) this.scope.showTab(tab.tab);
      }}
    >
      ${title}${n === null ? nothing : html`<span>${count(n)}</span>`}
    </button>`;
  }

  #tabKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const view = this.scope.view;
    const tabs = this.#tabs();
    const at = tabs.findIndex(({ tab }) => tab === view?.tab);
    const next = tabs[(at + step + tabs.length) % tabs.length] as (typeof TABS)[number];
    this.scope.showTab(next.tab);
    this.updateComplete.then(() =>
      (this.renderRoot.querySelector(`#tab-${next.tab}`) as HTMLElement | null)?.focus(),
    );
  };

  #picked = (event: CustomEvent<{ row: unknown; at: number }>): void => {
    const { view } = this.scope;
    const { row } = event.detail;
    if (!view) return;
    if (view.table) this.scope.goTo(row as Mark, 'reveal');
    else if (view.tab === 'stalls') this.scope.selectStall((row as { index: number }).index, 'zoom');
    else if (view.tab === 'steps') {
      this.scope.selectStep((row as StepRow).index, 'reveal').catch((thrown) => this.scope.fail(thrown));
    } else if (view.tab === 'requests') {
      const { index } = row as RequestRow;
      this.#pickedRequest = { made: this.#made, index, at: event.detail.at };
      this.scope.selectRequest(row as RequestRow);
    }
  };

  #ordered = (event: CustomEvent<string>): void => {
    const { view } = this.scope;
    if (view?.tab === 'stalls') this.stallOrder = event.detail as StallOrder;
    else if (view?.tab === 'steps') this.scope.orderSteps(event.detail as StepOrder);
    else if (view?.tab === 'requests') this.scope.orderRequests(event.detail as RequestOrder);
  };
}
