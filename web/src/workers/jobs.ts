/** Messages between the page and the workers that read files. */

import type { ArchiveKind, Entry, Packed, Streamed } from '../ingest/entries.js';

/** A file to read: a segment becomes a block of columns, anything else stays bytes. */
export interface Wanted {
  /** Given back with the result. */
  readonly tag: number;
  readonly what: 'segment' | 'bytes';
  readonly path: string;
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
  | { readonly type: 'ready' }
  /** Bytes of files read since the last word. */
  | { readonly type: 'progress'; readonly bytes: number }
  | { readonly type: 'listed'; readonly entries: Entry[] }
  | { readonly type: 'got'; readonly tag: number; readonly bytes: Uint8Array }
  /** A file that could not be read to its end; the job goes on. */
  | { readonly type: 'unreadable'; readonly tag: number; readonly why: string }
  /** The job is over; `memory` is what the worker's wasm holds, bytes. */
  | { readonly type: 'done'; readonly memory: number }
  | { readonly type: 'failed'; readonly why: string };
