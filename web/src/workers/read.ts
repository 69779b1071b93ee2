/** Reads files and parses segments, one job at a time. */

import { isGzip, type Packed } from '../ingest/entries.js';
import type { InitOutput } from '../pkg/stepscope_wasm.js';
import init, { SegmentParser } from '../pkg/stepscope_wasm.js';
import { chunksOf } from './chunks.js';
import type { FromWorker, Job, ToWorker, Wanted } from './jobs.js';
import { listTar, readTar } from './tar.js';
import { listZip } from './zip.js';

/** Progress is told this often, ms. */
const TELL_EVERY = 200;

function say(word: FromWorker, transfer: Transferable[] = []): void {
  postMessage(word, { transfer });
}

/** Bytes read, gathered so that the page is not flooded with messages. */
class Progress {
  #bytes = 0;
  #last = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
    if (performance.now() - this.#last >= TELL_EVERY) this.tell();
  }

  tell(): void {
    if (this.#bytes > 0) say({ type: 'progress', bytes: this.#bytes });
    this.#bytes = 0;
    this.#last = performance.now();
  }
}

function words(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A wasm trap leaves the instance in no state to go on; anything else concerns one file. */
function isTrap(thrown: unknown): boolean {
  return thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
}

/** Takes the pieces of one file and gives what they become. */
interface Sink {
  push(piece: Uint8Array): void;
  finish(): Uint8Array;
}

function sinkFor(wanted: Wanted): Sink {
  if (wanted.what === 'segment') {
    const parser = new SegmentParser(wanted.name, wanted.epoch);
    return {
      push: (piece) => parser.push(piece),
      // The parser is used up by it.
      finish: () => parser.finish(),
    };
  }
  return gathering();
}

/** The bytes themselves. */
function gathering(): Sink {
  const pieces: Uint8Array[] = [];
  return { push: (piece) => pieces.push(piece.slice()), finish: () => join(pieces) };
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function give(tag: number, bytes: Uint8Array, fault: string | null): void {
  say({ type: 'got', tag, bytes, fault }, [bytes.buffer]);
}

async function read(packed: Packed, wanted: Wanted, told: (bytes: number) => void): Promise<void> {
  const sink = sinkFor(wanted);
  let fault: string | null = null;
  try {
    for await (const chunk of chunksOf(packed, told)) sink.push(chunk);
  } catch (thrown) {
    if (isTrap(thrown)) throw thrown;
    fault = words(thrown);
  }
  // What was read before a fault is kept: a torn archive still holds whole records.
  give(wanted.tag, sink.finish(), fault);
}

/** Gzipped members are few and small against the archive: they are kept until they are whole, then read as files. */
async function stream(job: Extract<Job, { kind: 'stream' }>, progress: Progress): Promise<void> {
  const left = new Map(job.wanted.map((wanted) => [wanted.path, wanted]));
  const gzipped: { wanted: Wanted; bytes: Uint8Array }[] = [];
  let open: { wanted: Wanted; sink: Sink } | null = null;
  try {
    await readTar(job.archive, (piece) => {
      if (!open) {
        const wanted = left.get(piece.path);
        if (!wanted) return left.size > 0;
        left.delete(piece.path);
        open = { wanted, sink: isGzip(piece.path) ? gathering() : sinkFor(wanted) };
      }
      if (piece.bytes) {
        open.sink.push(piece.bytes);
        progress.add(piece.bytes.length);
      }
      if (piece.done) {
        const bytes = open.sink.finish();
        if (isGzip(piece.path)) gzipped.push({ wanted: open.wanted, bytes });
        else give(open.wanted.tag, bytes, null);
        open = null;
      }
      return open !== null || left.size > 0;
    });
  } catch (thrown) {
    if (isTrap(thrown)) throw thrown;
    const torn = open as { wanted: Wanted; sink: Sink } | null;
    if (torn && isGzip(torn.wanted.path)) gzipped.push({ wanted: torn.wanted, bytes: torn.sink.finish() });
    else if (torn) give(torn.wanted.tag, torn.sink.finish(), words(thrown));
    for (const { tag } of left.values()) say({ type: 'unreadable', tag, why: words(thrown) });
  }
  for (const { wanted, bytes } of gzipped) {
    const packed: Packed = { blob: new Blob([bytes as BlobPart]), encodings: ['gzip'] };
    // Their bytes were counted as they came out of the archive.
    await read(packed, wanted, () => {});
  }
}

async function run(job: Job, { memory }: InitOutput): Promise<void> {
  const progress = new Progress();
  if (job.kind === 'list') {
    const entries =
      job.archive === 'zip'
        ? await listZip(job.blob)
        : await listTar({ blob: job.blob, gzip: job.archive === 'tar.gz' });
    say({ type: 'listed', entries });
  } else if (job.kind === 'read') {
    await read(job.packed, job.wanted, (bytes) => progress.add(bytes));
  } else {
    await stream(job, progress);
  }
  progress.tell();
  say({ type: 'done', memory: memory.buffer.byteLength });
}

/** Makes this worker one that reads files. A job may come before the wasm does. */
export function serve(): void {
  let start: (module: WebAssembly.Module) => void;
  const wasm = new Promise<WebAssembly.Module>((resolve) => {
    start = resolve;
  }).then((module) => init({ module_or_path: module }));
  addEventListener('message', async (event: MessageEvent<ToWorker>) => {
    const word = event.data;
    if (word.type === 'start') {
      start(word.module);
      return;
    }
    try {
      await run(word.job, await wasm);
    } catch (thrown) {
      say({ type: 'failed', why: words(thrown) });
    }
  });
}
