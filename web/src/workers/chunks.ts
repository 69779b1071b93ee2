/** The bytes of a file in pieces, decompressed where needed. */

import type { Packed } from '../ingest/entries.js';

/**
 * The next piece is asked for before the last one is used, so that the disk and the parser work at the same time.
 * `told` gets the bytes of the file as it lies there.
 */
export async function* chunksOf(packed: Packed, told: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const counting = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      told(chunk.byteLength);
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  const plain = packed.encodings.length === 0;
  let stream: ReadableStream<Uint8Array> = packed.blob.stream();
  if (!plain) stream = stream.pipeThrough(counting);
  for (const encoding of packed.encodings) {
    const undo = new DecompressionStream(encoding);
    stream = stream.pipeThrough(undo as ReadableWritablePair<Uint8Array, Uint8Array>);
  }
  const reader = stream.getReader();
  let coming = reader.read();
  for (;;) {
    const { value, done } = await coming;
    if (done) return;
    coming = reader.read();
    // A fault of the piece after this one is met when its turn comes.
    coming.catch(() => {});
    if (plain) told(value.byteLength);
    yield value;
  }
}
