/**
 * What is open and what the user looks at, for one place on a page. Elements draw it and call its methods; it tells
 * them what has changed.
 */

import { Failure, failureFrom } from './failure.js';
import { type Gather, Reading } from './ingest/reading.js';
import type { Run } from './ingest/runs.js';
import type {
  EpochEntry,
  Link,
  Mark,
  Overview,
  OwnRequest,
  RequestOrder,
  StallRow,
  Tab,
} from './session/answers.js';
import { OVERTAKEN, type SessionClient } from './session/client.js';
import type { Theme } from './theme/theme.js';
import { Fetched } from './tracks/fetched.js';
import { heightOf } from './tracks/members.js';
import { Plot } from './tracks/plot.js';
import type { LaneOrder, Selection, StepOrder, TrackName, ViewState } from './view/state.js';
import * as states from './view/state.js';
import { CANCELLED, type Pool } from './workers/pool.js';

/**
 * `phase`: what is on the screen, readings, the list of epochs. `epoch`: the epoch shown. `view`: selection, tab,
 * orders. `range`: the visible range and the cursor; up to once a frame.
 */
export type Topic = 'phase' | 'epoch' | 'view' | 'range' | 'theme';

export interface Timings {
  /** `performance.now()` of the last reading: when it was dropped and when each part was reached. */
  reading: {
    dropped: number;
    manifest?: number;
    parsed?: number;
    complete?: number;
    picture?: number;
  } | null;
  /** Milliseconds of the main thread in each drawn frame, newest last. */
  frames: number[];
  /** Milliseconds from question to answer by method, newest last. */
  queries: Record<string, number[]>;
}

export class Scope {
  readonly session: SessionClient;
  readonly pool: Pool;
  theme!: Theme;
  epochs: EpochEntry[] = [];
  overview: Overview | null = null;
  view: ViewState | null = null;
  /** The reading under way; further ones wait for it. */
  reading: Reading | null = null;
  /** How many readings wait. */
  waiting = 0;
  /** Shown over everything until it is closed. */
  failure: Failure | null = null;
  /** Something broke for good: only a reload helps. */
  broken: Failure | null = null;
  /** Lanes scrolled, CSS pixels. */
  scrolled = 0;
  /** What the session has answered for the tracks. */
  readonly fetched: Fetched;
  /** Where the tracks are drawn. */
  readonly plot = new Plot();
  readonly frames: number[] = [];
  /** The artifact of a client's run, which says whose requests are whose. */
  #run: Run | null = null;
  /** How often requests were given their clients: what was drawn before knows nothing of it. */
  bindings = 0;
  #times: Timings['reading'] = null;
  #queue: Promise<void> = Promise.resolve();
  #unsettled = 0;
  readonly #followers = new Map<Topic, Set<() => void>>();
  /** Work that `idle` waits for, besides readings and questions: frames that are due. */
  readonly #due = new Set<() => boolean>();

  constructor(session: SessionClient, pool: Pool) {
    this.session = session;
    this.pool = pool;
    this.fetched = new Fetched(session, (thrown) => this.fail(thrown));
    session.onbroken = (why) => this.breaks(why);
    session.module.catch((thrown) => this.breaks(thrown));
  }

  follow(topics: readonly Topic[], told: () => void): () => void {
    for (const topic of topics) {
      const followers = this.#followers.get(topic) ?? new Set();
      followers.add(told);
      this.#followers.set(topic, followers);
    }
    return () => {
      for (const topic of topics) this.#followers.get(topic)?.delete(told);
    };
  }

  changed(topic: Topic): void {
    for (const told of this.#followers.get(topic) ?? []) told();
  }

  // ---- readings

  /** Reads what `gather` brings and adds its epochs. Readings take turns: a second drop waits for the first. */
  read(gather: Gather): Promise<void> {
    if (this.broken) return Promise.resolve();
    this.waiting += 1;
    // A reading tells of itself; it is often over before there is anything to tell.
    const shown = this.failure !== null || this.reading !== null;
    this.failure = null;
    if (shown) this.changed('phase');
    const run = this.#queue.then(() => this.#read(gather));
    this.#queue = run.catch(() => {});
    return run;
  }

  async #read(gather: Gather): Promise<void> {
    this.waiting -= 1;
    const reading = new Reading(this.pool, this.session, () => this.changed('phase'));
    this.reading = reading;
    this.#unsettled += 1;
    try {
      const entries = await reading.run(gather);
      this.#times = reading.times;
      this.#add(entries);
      this.reading = null;
      const first = best(entries);
      const run = reading.runs.at(-1) ?? null;
      await this.#bind(run, entries).catch((thrown) => this.fail(thrown));
      if (first) await this.open(first.index, reading.overview);
      else if (run && this.overview) await this.#drawAgain();
    } catch (thrown) {
      if (thrown !== CANCELLED) this.fail(thrown);
    } finally {
      this.reading = null;
      this.#unsettled -= 1;
      this.changed('phase');
    }
  }

  /** Epochs that were open already are replaced: their log may have grown. */
  #add(entries: readonly EpochEntry[]): void {
    const names = new Set(entries.map(nameOf));
    for (const old of this.epochs) {
      if (names.has(nameOf(old))) this.session.tell('removeEpoch', [old.index]).catch((e) => this.fail(e));
    }
    const kept = this.epochs.filter((old) => !names.has(nameOf(old)));
    this.epochs = [...kept, ...entries].sort(byHostAndTime);
  }

  /** Finds the requests of a client's run in all epochs; of the run that was opened before, in the new ones. */
  async #bind(run: Run | null, entries: readonly EpochEntry[]): Promise<void> {
    if (run && this.epochs.length === 0) {
      throw new Failure(
        `${run.name} says which requests are whose, but there is no log`,
        'Drop it together with the hook directory, or drop that first.',
      );
    }
    const found = run ?? this.#run;
    const engines = (run ? this.epochs : entries).filter(({ role }) => role === 'engine');
    if (!found || engines.length === 0) return;
    const ids = await Promise.all(engines.map(({ index }) => this.session.tell('requestIds', [index])));
    // Loaded when somebody opens an artifact.
    const { ownOf } = await import('./ingest/own.js');
    const own = await ownOf(found, ids);
    this.#run = found;
    for (const [at, { index }] of engines.entries()) {
      const of = (what: (own: OwnRequest) => string | null): string[] =>
        (own[at] ?? []).map((each) => (each && what(each)) ?? '');
      await this.session.tell('setOwn', [
        index,
        of(({ requestId }) => requestId),
        of(({ caseId }) => caseId),
        of(({ phase }) => phase),
      ]);
    }
    this.bindings += 1;
  }

  async #drawAgain(): Promise<void> {
    this.fetched.forget();
    this.want();
    await this.fetched.answered();
    this.changed('epoch');
    this.changed('view');
    this.changed('range');
  }

  cancel(): void {
    this.reading?.cancel();
  }

  // ---- the epoch shown

  /** `known` is its overview when that has been asked for already. */
  async open(epoch: number, known: Overview | null = null): Promise<void> {
    const overview = known ?? (await this.session.ask('overview', 'overview', epoch));
    if (overview === OVERTAKEN) return;
    overview.stalls.sort((a, b) => a.t0 - b.t0);
    this.overview = overview;
    const { t0, t1, empty } = overview;
    this.view = states.opened({ t0, t1 }, this.view, empty === null);
    this.scrolled = 0;
    // The answers are waited for, they take a few milliseconds: the view then comes up with its picture in one frame.
    this.want();
    await this.fetched.answered();
    if (this.overview !== overview) return;
    this.changed('phase');
    this.changed('epoch');
    this.changed('view');
    this.changed('range');
  }

  /** Asks for what the tracks need to show the visible range. */
  want(): void {
    const { overview, view, scrolled, plot } = this;
    if (!overview || !view || overview.empty) return;
    const pixels = Math.round(plot.width * plot.scale);
    this.fetched.want({ overview, view, pixels, lanesHeight: plot.lanesHeight, scrolled });
  }

  get epoch(): number {
    return this.overview?.entry.index ?? -1;
  }

  /** Applies a step from one view to the next and tells who draws it. */
  update(step: (view: ViewState) => ViewState): void {
    const before = this.view;
    if (!before) return;
    const after = step(before);
    if (after === before) return;
    this.view = after;
    if (after.range !== before.range || after.cursor !== before.cursor) this.changed('range');
    const viewKeys = [
      'selection',
      'tab',
      'table',
      'laneOrder',
      'stepOrder',
      'requestOrder',
      'search',
      'past',
    ] as const;
    if (viewKeys.some((key) => after[key] !== before[key])) {
      this.changed('view');
      this.changed('range');
    }
  }

  /** Scrolls the lanes, CSS pixels, as far as there are any. */
  scroll(wanted: number): void {
    const { overview, view, plot } = this;
    const lanes = (view?.laneOrder === 'arrival' ? overview?.lanesByArrival : overview?.lanes) ?? 0;
    const to = Math.max(0, Math.min(wanted, heightOf(lanes) - plot.lanesHeight));
    if (to === this.scrolled) return;
    this.scrolled = to;
    this.changed('range');
  }

  stall(index: number): StallRow | null {
    return this.overview?.stalls.find((stall) => stall.index === index) ?? null;
  }

  selectStall(index: number, go: 'zoom' | 'reveal' | 'stay' = 'zoom'): void {
    const stall = this.stall(index);
    if (!stall) return;
    const selection: Selection = { kind: 'stall', index, t0: stall.t0, t1: stall.t1 };
    this.update((view) => ({ ...states.select(view, selection, go), tab: 'stalls', table: null }));
  }

  async selectStep(index: number, go: 'zoom' | 'reveal' | 'stay' = 'reveal'): Promise<void> {
    const detail = await this.session.ask('select step', 'step', this.epoch, index);
    if (detail === OVERTAKEN) return;
    const { t0, t1 } = detail.row;
    this.update((view) => states.select(view, { kind: 'step', index, t0, t1: Math.max(t1, t0) }, go));
  }

  selectRequest({ index, t0, t1 }: { index: number; t0: number; t1: number }): void {
    const selection: Selection = { kind: 'request', index, t0, t1 };
    this.update((view) => states.select(view, selection, 'zoom'));
  }

  /** The step that the cursor's card would name at a time. */
  async selectStepAt(t: number): Promise<void> {
    const card = await this.session.ask('step at', 'cursor', this.epoch, t);
    if (card === OVERTAKEN) return;
    if (card.step === null) this.update((view) => ({ ...view, selection: null }));
    else await this.selectStep(card.step, 'stay');
  }

  showTab(tab: Tab): void {
    this.update((view) => ({ ...view, tab, table: null }));
  }

  showTable(track: TrackName | null): void {
    this.update((view) => ({ ...view, table: track }));
  }

  orderLanes(laneOrder: LaneOrder): void {
    this.scrolled = 0;
    this.update((view) => ({ ...view, laneOrder }));
  }

  orderSteps(stepOrder: StepOrder): void {
    this.update((view) => ({ ...view, stepOrder }));
  }

  orderRequests(requestOrder: RequestOrder): void {
    this.update((view) => ({ ...view, requestOrder }));
  }

  search(search: string): void {
    this.update((view) => ({ ...view, search }));
  }

  follows(link: Link): void {
    if (link.kind === 'tab') this.showTab(link.tab);
    else if (link.kind === 'stall') this.selectStall(link.index);
    else if (link.kind === 'step') this.selectStep(link.index, 'reveal').catch((e) => this.fail(e));
    else this.update((view) => states.show(view, { t0: link.t0, t1: link.t1 }));
  }

  /** The next mark after the cursor, or the one before it: the cursor goes there and what it marks is selected. */
  async toMark(direction: 1 | -1): Promise<void> {
    const { view } = this;
    if (!view || this.overview?.empty) return;
    const from = view.cursor?.held ? view.cursor.t : (view.range.t0 + view.range.t1) / 2;
    const mark = await this.session.ask('next mark', 'nextMark', this.epoch, from, direction);
    if (mark === OVERTAKEN || !mark) return;
    this.goTo(mark, 'reveal');
  }

  goTo(mark: Mark, go: 'zoom' | 'reveal'): void {
    if (mark.link?.kind === 'stall') this.selectStall(mark.link.index, go);
    else if (mark.link?.kind === 'step') {
      this.selectStep(mark.link.index, go).catch((thrown) => this.fail(thrown));
    } else {
      const selection: Selection = { kind: 'range', t0: mark.t0, t1: mark.t1 };
      this.update((view) => states.select(view, selection, go));
    }
    this.update((view) => ({ ...view, cursor: { t: mark.t0, held: true } }));
  }

  // ---- faults

  /** A fault that leaves what is open usable. */
  fail(thrown: unknown): void {
    if (thrown === CANCELLED || thrown === OVERTAKEN || this.broken) return;
    this.failure = failureFrom(thrown);
    this.changed('phase');
  }

  /** A fault after which nothing here can be trusted to go on. */
  breaks(thrown: unknown): void {
    this.broken ??= failureFrom(thrown);
    this.session.abandon(this.broken);
    this.changed('phase');
  }

  closeFailure(): void {
    this.failure = null;
    this.changed('phase');
  }

  // ---- for tests and benchmarks

  /** `waits` says whether a frame is due. */
  drawsWhen(waits: () => boolean): void {
    this.#due.add(waits);
  }

  frameDrawn(milliseconds: number): void {
    this.frames.push(milliseconds);
    if (this.frames.length > 2000) this.frames.splice(0, 1000);
  }

  /** The first complete picture of what was read last. */
  pictured(): void {
    const times = this.#times;
    if (times && times.picture === undefined) times.picture = performance.now();
  }

  get timings(): Timings {
    return {
      reading: this.#times && { ...this.#times },
      frames: [...this.frames],
      queries: Object.fromEntries([...this.session.times].map(([method, times]) => [method, [...times]])),
    };
  }

  /** Resolves when nothing is being read, asked or drawn. */
  async idle(): Promise<void> {
    for (let calm = 0; calm < 2; ) {
      await this.#queue;
      await this.session.idle();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const busy =
        this.waiting > 0 || this.#unsettled > 0 || this.session.busy || [...this.#due].some((due) => due());
      calm = busy ? 0 : calm + 1;
    }
  }
}

function nameOf(entry: EpochEntry): string {
  return `${entry.host}/${entry.epoch}`;
}

function byHostAndTime(a: EpochEntry, b: EpochEntry): number {
  return a.host.localeCompare(b.host) || (a.startWallMs ?? 0) - (b.startWallMs ?? 0) || a.index - b.index;
}

/** What to show first: the engine that started last, of those with steps when there is one. */
function best(entries: readonly EpochEntry[]): EpochEntry | null {
  const rank = (entry: EpochEntry): number => (entry.role === 'engine' ? 2 : 0) + (entry.steps > 0 ? 1 : 0);
  const sorted = [...entries].sort(
    (a, b) => rank(b) - rank(a) || (b.startWallMs ?? 0) - (a.startWallMs ?? 0) || b.steps - a.steps,
  );
  return sorted[0] ?? null;
}
