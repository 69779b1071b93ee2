/** Messages between the page and the workers that read files. */

import type { ArchiveKind, Entry, Packed, Streamed } from '../ingest/entries.js';

/** A file to read: a segment becomes a block of columns, anything else stays bytes. */
export interface Wanted {
  /** Given back with the result. */
  readonly tag: number;
  readonly what: 'segment' | 'bytes';
  /** In the listing it came from. */
  readonly path: string;
  /** Bare, without `.gz`. */
  readonly name: string;
  /** Segments: the epoch they belong to, empty when the first valid line says. */
  readonly epoch: string;
}

export type Job =
  | { readonly kind: 'list'; readonly blob: Blob; readonly archive: ArchiveKind }
  | { readonly kind: 'read'; readonly packed: Packed; readonly wanted: Wanted }
  | { readonly kind: 'stream'; readonly archive: Streamed; readonly wanted: readonly Wanted[] };

export type ToWorker =
  | { readonly type: 'start'; readonly module: WebAssembly.Module }
  | { readonly type: 'job'; readonly job: Job };

export type FromWorker =
  /** Bytes of files read since the last word. */
  | { readonly type: 'progress'; readonly bytes: number }
  | { readonly type: 'listed'; readonly entries: Entry[] }
  /** What a file has become; `fault` says why it was not read to its end. */
  | { readonly type: 'got'; readonly tag: number; readonly bytes: Uint8Array; readonly fault: string | null }
  /** A file of which nothing could be read; the job goes on. */
  | { readonly type: 'unreadable'; readonly tag: number; readonly why: string }
  /** The job is over; `memory` is what the worker's wasm holds, bytes. */
  | { readonly type: 'done'; readonly memory: number }
  | { readonly type: 'failed'; readonly why: string };
