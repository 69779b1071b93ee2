/** The bytes of a file in pieces, decompressed where needed. */

import type { Packed } from '../ingest/entries.js';

/** Bytes of a piece at most. */
const PIECE = 512 * 1024;

/** What pieces are read into goes round: a large file leaves no garbage behind. */
const spare: ArrayBufferLike[] = [];

/**
 * Pieces that are good until the next one is asked for. That one is read while the last is used, so that the disk and
 * the parser work at the same time. `told` gets the bytes of the file as it lies there.
 */
export async function* chunksOf(packed: Packed, told: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { blob, encodings } = packed;
  const plain = encodings.length === 0;
  const next = plain ? intoSpare(blob.stream()) : whateverComes(decompressed(blob, encodings, told));
  let coming = next();
  for (;;) {
    const value = await coming;
    if (value === null) return;
    coming = next();
    // A fault of the piece after this one is met when its turn comes.
    coming.catch(() => {});
    if (plain) told(value.byteLength);
    yield value;
    if (value.buffer.byteLength === PIECE) spare.push(value.buffer);
  }
}

/** Gives the next piece, or null after the last. */
type Next = () => Promise<Uint8Array | null>;

function intoSpare(stream: ReadableStream<Uint8Array>): Next {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: 'byob' });
  } catch {
    // Some browsers only give pieces of their own.
    return whateverComes(stream);
  }
  return async () => {
    const { value, done } = await reader.read(new Uint8Array(spare.pop() ?? new ArrayBuffer(PIECE)));
    if (!done) return value;
    if (value) spare.push(value.buffer);
    return null;
  };
}

function whateverComes(stream: ReadableStream<Uint8Array>): Next {
  const reader = stream.getReader();
  return async () => (await reader.read()).value ?? null;
}

function decompressed(
  blob: Blob,
  encodings: Packed['encodings'],
  told: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const counting = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      told(chunk.byteLength);
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  let stream: ReadableStream<Uint8Array> = blob.stream().pipeThrough(counting);
  for (const encoding of encodings) {
    const undo = new DecompressionStream(encoding);
    stream = stream.pipeThrough(undo as ReadableWritablePair<Uint8Array, Uint8Array>);
  }
  return stream;
}
