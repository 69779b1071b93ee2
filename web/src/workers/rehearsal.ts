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
const STEP_NS = 10_000_000;
/** Bytes a push, as a file's stream gives them or less. */
const PUSH = 1 << 16;
const SEGMENTS = 4;
/** What runs once an epoch and not once a record has to be seen a few times. */
const EPOCHS = 8;
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
    const ids = Array.from({ length: MEMBERS }, (_, i) => `cmpl-${i}-${(step + i) >> 5}-0a1b2c3d`);
    for (const internal of ids) {
      if ((step + ids.indexOf(internal)) % 32 === 0)
        add('alias', { internal, external: internal, ...stamp(t) });
    }
    const members = ids.map((internal) => ({
      internal,
      sighting: 'repeat',
      phase: 'generation',
      scheduled: 1,
      computed_before: 512 + step,
      prompt_tokens: 512,
      prefill_scheduled: 0,
      past_prompt_scheduled: 1,
      drafts_scheduled: 0,
      cached_at_admission: null,
      recompute: false,
      output_before: step,
      resumable: false,
    }));
    const outcomes = ids.map((internal) => ({
      internal,
      outcome: 'kept',
      stale: false,
      sampled: 1,
      accepted_drafts: 0,
      retained: 1,
      finish_reason: null,
      computed_after: 513 + step,
    }));
    add('scheduled', {
      iteration: String(step),
      ...stamp(t, 'start_'),
      ...stamp(t + 3e5, 'end_'),
      total_tokens: MEMBERS,
      zero_token: false,
      preempted: [],
      pause_state: 'UNPAUSED',
      members,
    });
    add('completed', { iteration: String(step), ...stamp(t + 9e6), members: outcomes });
    if (step % 100 === 0)
      add('heartbeat', { ...stamp(t), last_seq: seq + lines.length - 1, dropped: {}, errors: 0 });
  }
  return lines;
}
