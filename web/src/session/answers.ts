/**
 * What the session answers: the shapes that cross from Rust to the page. The Rust side is `crates/timeline`
 * (field names in camelCase there too, by serde) and `crates/wasm`.
 *
 * Times named `t…` or `…Ns` are nanoseconds. `t…` are offsets on the epoch's monotonic clock from its first stamp
 * (`originMonoNs`), so that they fit a double; exact absolute stamps cross as decimal text.
 */

/** A piece of a sentence; a link leads to what the number counts. */
export interface Part {
  text: string;
  strong: boolean;
  link: Link | null;
}

export type Tab = 'stalls' | 'steps' | 'requests' | 'problems' | 'config';

export type Link =
  | { kind: 'tab'; tab: Tab }
  | { kind: 'stall'; index: number }
  | { kind: 'step'; index: number }
  | { kind: 'range'; t0: number; t1: number };

/** `good`: nothing to worry about; `note`: worth knowing; `bad`: wrong; `unknown`: cannot be told. */
export type Level = 'good' | 'note' | 'bad' | 'unknown';

export interface Line {
  level: Level;
  parts: Part[];
}

/** Before anything is parsed: what was dropped, from paths and sizes alone. */
export interface Manifest {
  /** How the paths were understood; null when nothing in them is an epoch. */
  shape: 'hook_directory' | 'host_directory' | 'epoch_directory' | 'loose_segments' | null;
  epochs: ManifestEpoch[];
  /** Second-level directories that are no epochs, by full path (reading.md D-5). */
  notes: string[];
  /** Files that belong to no epoch: how many, and the first few by path. */
  leftOut: { count: number; bytes: number; paths: string[] };
  /** When `shape` is null: what was found instead and what to drop, in words. */
  advice: string | null;
}

export interface ManifestEpoch {
  hostBoot: string;
  /** Empty for loose segments: the first valid line names the epoch. */
  epoch: string;
  role: 'engine' | 'worker';
  pid: string;
  startNs: string;
  /** In reading order; `entry` is the index into the listing given to `manifest`. */
  segments: { entry: number; name: string; bytes: number; open: boolean }[];
  status: number | null;
  key: number | null;
  bytes: number;
  /** What an epoch usually has and this one lacks, in words. */
  missing: string[];
}

/** One epoch of the list, after it is read. */
export interface EpochEntry {
  index: number;
  epoch: string;
  host: string;
  role: 'engine' | 'worker';
  pid: string;
  /** Milliseconds since 1970 UTC of the first stamp; null when the log has none. */
  startWallMs: number | null;
  spanNs: number;
  state: 'ended' | 'gone' | 'unknown' | 'alive';
  stateReason: string;
  /** In words, for the list. */
  stateText: string;
  records: number;
  steps: number;
  bytes: number;
  problems: number;
  stallsOverLimit: number;
  /** The hello's own words when it refused to record; null otherwise. */
  refused: string | null;
}

export interface Overview {
  entry: EpochEntry;
  originMonoNs: string;
  originWallMs: number | null;
  /** The whole range worth showing, first to last stamp. */
  t0: number;
  t1: number;
  trust: Line;
  verdict: Line;
  /** Where the corrected rules say something else than the reference, in words. */
  differences: string[];
  steps: number;
  memberships: number;
  requests: number;
  lanes: number;
  lanesByArrival: number;
  /** From the hello's config; null when not recorded. */
  tokenBudget: number | null;
  seats: number | null;
  maxStepTokens: number;
  maxLive: number;
  /** 0 also when hand-overs were not recorded. */
  maxWaiting: number;
  /** Whether the log says who was waiting; if not, `Tracks.waiting` is NaN. */
  waitingRecorded: boolean;
  stalls: StallRow[];
  pauses: { t0: number; t1: number; state: string }[];
  stepRows: number;
  problems: number;
  /** Worker epochs: their counters; empty for engines. */
  worker: { label: string; value: string; note: string }[];
  /** Why nothing can be drawn (refused, worker, no step), in words; null when there is something. */
  empty: { title: string; parts: Part[] } | null;
}

export type Locus = 'between_steps' | 'in_schedule' | 'within_step';

export interface StallRow {
  index: number;
  t0: number;
  t1: number;
  locus: Locus;
  attribution: 'host' | 'host_or_gpu';
  durationNs: number;
  limitNs: number;
  ratio: number;
  baseline: 'matched' | 'unmatched' | 'floor';
  baselineNs: number | null;
  /** The work bucket in words, for instance `2–3 tokens`. */
  bucket: string;
  covered: boolean;
  overlapped: boolean;
  ongoing: boolean;
  /** First-call warm-up: listed, ranked apart. */
  warmUp: boolean;
  /** Requests that were ready all that time. */
  ready: number;
  /** A late heartbeat outside every stall: not a stall by the rules, listed so that it is not missed. */
  lateHeartbeat: boolean;
}

export interface Explanation {
  row: StallRow;
  title: string;
  whose: string;
  /** What happened, in sentences. */
  text: Part[];
  facts: { label: string; parts: Part[] }[];
}

/**
 * The tracks of a window, one value a bin. Bins are `binNs` wide (a power of two), the first begins at `t0`.
 * A bin that touches a stall, a preemption or a loss says so however narrow it was.
 */
export interface Tracks {
  t0: number;
  binNs: number;
  bins: number;
  /** Shares of each bin's time, 0 to 1; what is left is outside the log or unknown. */
  inSchedule: Float32Array;
  withinStep: Float32Array;
  between: Float32Array;
  paused: Float32Array;
  idle: Float32Array;
  /** 0 none, 1 between_steps, 2 in_schedule, 3 within_step, 4 warm-up: the longest over its limit. */
  stall: Uint8Array;
  /** Longest step time of the steps that start in the bin, ns. */
  stepTime: Float32Array;
  steps: Uint32Array;
  /** Tokens of the bin's largest step. A long step fills every bin it lasts. */
  prefill: Float32Array;
  decode: Float32Array;
  recompute: Float32Array;
  /** Greatest number in the bin. */
  live: Float32Array;
  /** NaN when hand-overs to the scheduler were not recorded. */
  waiting: Float32Array;
  /** Bits: 1 preemption, 2 cache reset, 4 pause change, 8 update failed, 16 step without outcome. */
  marks: Uint8Array;
  /** 0 outside the log, 1 known whole, 2 not known, 3 writer silent, 4 after the end. */
  coverage: Uint8Array;
}

/** Requests in lanes. Parallel arrays; runs begin and end on bins and none lies over another of its lane. */
export interface Lanes {
  t0: number;
  binNs: number;
  bins: number;
  /** 0 queue, 1 prefill, 2 decode, 3 recompute, 4 wait in prefill, 5 wait in decode, 6 preempted, 7 paused. */
  runKind: Uint8Array;
  runLane: Uint32Array;
  runT0: Float64Array;
  runT1: Float64Array;
  /** Index of the execution the run belongs to. */
  runExecution: Uint32Array;
  /** Token completions, left out where they would be closer than three bins. */
  tickLane: Uint32Array;
  tickT: Float64Array;
  /** 0 stop, 1 length, 2 abort, 3 other or unknown. */
  endKind: Uint8Array;
  endLane: Uint32Array;
  endT: Float64Array;
  /** One for each run of lane that has room for text: the request's short name. */
  labelLane: Uint32Array;
  labelT0: Float64Array;
  labelT1: Float64Array;
  labels: string[];
}

export interface StepRow {
  /** Index of the step in start order; of a collapsed run, its first. */
  index: number;
  /** 1, or how many steps without members are collapsed into this row. */
  count: number;
  iteration: string;
  t0: number;
  t1: number;
  kind: 'empty' | 'prefill' | 'decode' | 'mixed';
  recompute: boolean;
  scheduleNs: number | null;
  /** Null when the step has no outcome. */
  stepNs: number | null;
  residenceNs: number | null;
  tokens: number | null;
  prefillTokens: number;
  decodeTokens: number;
  members: number;
  preempted: number;
  outcome: 'completed' | 'failed' | 'none';
}

export type RequestOrder =
  | 'time'
  | 'queue'
  | 'firstToken'
  | 'length'
  | 'steps'
  | 'tokens'
  | 'preemptions'
  | 'own';

/** A request of a client's run. */
export interface OwnRequest {
  requestId: string;
  caseId: string | null;
  phase: string | null;
}

/** What a client's requests are found by. */
export interface RequestIds {
  /** Whether the engine adds something random to its IDs, as the hello says. */
  randomization: boolean | null;
  /** Of each execution the engine's ID. */
  internal: string[];
  /** Of each execution the client's; null when the log has no admission of it. */
  external: (string | null)[];
}

/** A stay of a request in the engine. */
export interface RequestRow {
  index: number;
  /** The ID to show: the client's, else the engine's. */
  name: string;
  internal: string;
  /** Null when the log has no admission of it. */
  external: string | null;
  /** The request of a client's run that it is, once an artifact of that run was opened with the log. */
  own: OwnRequest | null;
  t0: number;
  t1: number;
  /** From its admission to the start of its first step; null: not recorded, or it never ran. */
  queueNs: number | null;
  /** From its admission to the outcome that had its first token. */
  firstTokenNs: number | null;
  steps: number;
  promptTokens: number | null;
  /** Tokens it put out. */
  tokens: number;
  preemptions: number;
  /** `running`: in the engine when the log ends; `lost`: its end is not in the log. */
  finish: 'stop' | 'length' | 'abort' | 'other' | 'running' | 'lost';
}

export interface RequestRows {
  /** How many match the search. */
  total: number;
  rows: RequestRow[];
}

export interface RequestDetail {
  row: RequestRow;
  title: string;
  text: Part[];
  facts: { label: string; parts: Part[] }[];
}

export interface StepDetail {
  row: StepRow;
  title: string;
  text: Part[];
  facts: { label: string; parts: Part[] }[];
  /** Column names, then one row a member, every field as text; null is "not recorded". */
  memberColumns: string[];
  members: { execution: number; cells: (string | null)[] }[];
  previous: number | null;
  next: number | null;
}

/** What the cursor is on. */
export interface CursorCard {
  step: number | null;
  title: string;
  lines: string[];
}

export interface ProblemRow {
  place: string;
  what: string;
  instead: string;
}

export interface ConfigRow {
  group: string;
  label: string;
  /** Null: not recorded. */
  value: string | null;
}

export interface Mark {
  t0: number;
  t1: number;
  track: 'overview' | 'loop' | 'tokens' | 'requests' | 'members' | 'coverage';
  text: string;
  link: Link | null;
}

/** The table behind a canvas: the marks of one track inside a window, at most `count` from `from` on. */
export interface Marks {
  total: number;
  rows: Mark[];
}

/** The surface of `crates/wasm` that the session worker calls, one method a question. */
export interface SessionApi {
  /** The index of a new epoch. */
  openEpoch(epoch: ManifestEpoch): number;
  addBlock(epoch: number, segment: number, block: Uint8Array): void;
  /**
   * A segment that could not be read, or not to its end: why. A block that was added before stays, and the problem is
   * noted with it.
   */
  addUnreadable(epoch: number, segment: number, why: string): void;
  setStatus(epoch: number, bytes: Uint8Array): void;
  setKey(epoch: number, bytes: Uint8Array): void;
  /** Puts the blocks together, judges the loop and lays out the lanes. */
  complete(epoch: number): EpochEntry;
  removeEpoch(epoch: number): void;
  overview(epoch: number): Overview;
  tracks(epoch: number, t0: number, t1: number, width: number): Tracks;
  /** The lanes from `firstLane` to the one before `lastLane`. */
  lanes(
    epoch: number,
    t0: number,
    t1: number,
    width: number,
    firstLane: number,
    lastLane: number,
    order: 'seats' | 'arrival',
  ): Lanes;
  explainStall(epoch: number, index: number): Explanation;
  stepRows(epoch: number, order: 'time' | 'longest', from: number, count: number): StepRow[];
  /** The row of a step in `stepRows` order. */
  rowOfStep(epoch: number, order: 'time' | 'longest', step: number): number;
  /** Requests whose IDs contain the search, whatever its case. */
  requestRows(epoch: number, order: RequestOrder, search: string, from: number, count: number): RequestRows;
  request(epoch: number, index: number): RequestDetail;
  requestIds(epoch: number): RequestIds;
  /** In the order of `requestIds`; empty texts where there is none. */
  setOwn(epoch: number, requestIds: string[], caseIds: string[], phases: string[]): void;
  step(epoch: number, index: number): StepDetail;
  cursor(epoch: number, t: number): CursorCard;
  /** The nearest mark after (1) or before (-1) a time. */
  nextMark(epoch: number, t: number, direction: 1 | -1): Mark | null;
  marks(epoch: number, track: Mark['track'], t0: number, t1: number, from: number, count: number): Marks;
  problems(epoch: number, from: number, count: number): ProblemRow[];
  config(epoch: number): ConfigRow[];
}
