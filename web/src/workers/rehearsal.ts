/**
 * Reads and judges an epoch of its own making before the first real one comes. The browser compiles wasm quickly first and
 * well only what has run for a while; after this, what reads and judges has, and all workers share the code.
 */

import type { Manifest, ManifestEpoch } from '../session/answers.js';

/** What is rehearsed: the wasm's functions and classes. */
export interface Cast {
  readonly manifest: (entries: { path: string; size: number }[]) => unknown;
  readonly SegmentParser: new (
    file: string,
    epoch: string,
  ) => { push(chunk: Uint8Array): void; finish(): Uint8Array };
  readonly Session: new () => {
    openEpoch(epoch: ManifestEpoch): number;
    addBlock(epoch: number, segment: number, block: Uint8Array): void;
    complete(epoch: number): unknown;
    removeEpoch(epoch: number): void;
    overview(epoch: number): { t0: number; t1: number };
    tracks(epoch: number, t0: number, t1: number, width: number): unknown;
    lanes(
      epoch: number,
      t0: number,
      t1: number,
      width: number,
      first: number,
      last: number,
      order: string,
    ): unknown;
    free(): void;
  };
}

const EPOCH = 'engine-1-1';
const STEPS = 240;
const MEMBERS = 16;
/** Steps from a request's first to its last. */
const LIFE = 32;
const PROMPT = 512;
const STEP_NS = 10_000_000;
/** Bytes a push, as a file's stream gives them or less. */
const PUSH = 1 << 16;
const SEGMENTS = 4;
/** What runs once an epoch and not once a record has to be seen a few times. */
const EPOCHS = 24;
const WIDTH = 1024;

/** Does a part of the rehearsal at each step, none longer than some milliseconds. */
export function* rehearse({ SegmentParser, Session, manifest }: Cast): Generator<void> {
  const names = Array.from({ length: SEGMENTS }, (_, i) => `00000${i}.jsonl`);
  const entries = names.map((name) => ({ path: `h-b/${EPOCH}/${name}`, size: 1 }));
  const [epoch] = (manifest(entries) as Manifest).epochs;
  if (!epoch) return;
  const blocks: Uint8Array[] = [];
  let seq = 0;
  for (const [i, name] of names.entries()) {
    const lines = records(i, seq);
    seq += lines.length;
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`);
    yield;
    const parser = new SegmentParser(name, EPOCH);
    for (let at = 0; at < bytes.length; at += PUSH) {
      parser.push(bytes.subarray(at, at + PUSH));
      yield;
    }
    blocks.push(parser.finish());
  }
  const session = new Session();
  try {
    for (let i = 0; i < EPOCHS; i += 1) {
      const index = session.openEpoch(epoch);
      for (const [segment, block] of blocks.entries()) session.addBlock(index, segment, block);
      yield;
      session.complete(index);
      yield;
      const { t0, t1 } = session.overview(index);
      const zoom = 2 ** (i % 4);
      session.tracks(index, t0, t0 + (t1 - t0) / zoom, WIDTH);
      yield;
      session.lanes(index, t0, t0 + (t1 - t0) / zoom, WIDTH, 0, MEMBERS, 'seats');
      session.removeEpoch(index);
      yield;
    }
  } finally {
    session.free();
  }
}

/** The records of some seconds of a busy engine, as one segment of several holds them. */
function records(segment: number, seq: number): string[] {
  const lines: string[] = [];
  const add = (kind: string, fields: object): void => {
    const head = { format: 'stormlog.vllm_hook/1', kind, epoch: EPOCH, seq: seq + lines.length };
    lines.push(JSON.stringify({ ...head, ...fields }));
  };
  const stamp = (t: number, of = '') => ({
    [`${of}wall_ns`]: 1e15 + t,
    [`${of}mono_ns`]: 1e12 + t,
    [`${of}wall_after_ns`]: 1e15 + t + 99,
  });
  const clock = { ...stamp(0), gap_ns: 99 };
  const who = { role: 'engine', host: 'h', boot_id: 'b', pid: 1, start_ns: 1 };
  if (segment === 0) add('hello', { ...who, enabled: true, config: {}, clock });
  for (let step = segment * STEPS; step < (segment + 1) * STEPS; step += 1) {
    const t = step * STEP_NS;
    const requests = Array.from({ length: MEMBERS }, (_, seat) => {
      const age = (step + seat) % LIFE;
      return { internal: `cmpl-${seat}-${step - age}-0a1b2c3d`, age };
    });
    for (const { internal } of requests.filter(({ age }) => age === 0)) {
      add('alias', { internal, external: internal, ...stamp(t) });
      add('enqueued', { internal, structured_output: false, resumable: false, ...stamp(t) });
    }
    const members = requests.map(({ internal, age }) => ({
      internal,
      sighting: age === 0 ? 'first' : 'repeat',
      phase: age === 0 ? 'context' : 'generation',
      scheduled: age === 0 ? PROMPT : 1,
      computed_before: age === 0 ? 0 : PROMPT + age - 1,
      prompt_tokens: PROMPT,
      prefill_scheduled: age === 0 ? PROMPT : 0,
      past_prompt_scheduled: age === 0 ? 0 : 1,
      drafts_scheduled: 0,
      cached_at_admission: age === 0 ? 0 : null,
      recompute: false,
      output_before: age,
      resumable: false,
    }));
    const outcomes = requests.map(({ internal, age }) => ({
      internal,
      outcome: 'kept',
      stale: false,
      sampled: 1,
      accepted_drafts: 0,
      retained: 1,
      finish_reason: age === LIFE - 1 ? 'length' : null,
      computed_after: PROMPT + age,
    }));
    add('scheduled', {
      iteration: String(step),
      ...stamp(t, 'start_'),
      ...stamp(t + 3e5, 'end_'),
      total_tokens: members.reduce((sum, { scheduled }) => sum + scheduled, 0),
      zero_token: false,
      preempted: [],
      pause_state: 'UNPAUSED',
      members,
    });
    add('completed', { iteration: String(step), ...stamp(t + 9e6), members: outcomes });
    for (const { internal } of requests.filter(({ age }) => age === LIFE - 1)) {
      const ended = { status: 'FINISHED_LENGTH_CAPPED', finish_reason: 'length', output_tokens: LIFE };
      add('terminal', { internal, ...ended, ...stamp(t + 9.1e6) });
    }
    if (step % 100 === 0)
      add('heartbeat', { ...stamp(t), last_seq: seq + lines.length - 1, dropped: {}, errors: 0 });
  }
  return lines;
}
