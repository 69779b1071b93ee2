/** Tar archives, plain or gzipped, from their beginning to their end without keeping them. */

import type { Entry, Streamed } from '../ingest/entries.js';
import { TarReader } from '../pkg/stepscope_wasm.js';
import { chunksOf } from './chunks.js';

export interface Piece {
  path: string;
  size: number;
  bytes: Uint8Array | null;
  done: boolean;
}

/** Gives the pieces of every member until `take` says there is nothing more to want. */
export async function readTar(archive: Streamed, take: (piece: Piece) => boolean): Promise<void> {
  const reader = new TarReader();
  try {
    const packed = { blob: archive.blob, encoding: archive.gzip ? 'gzip' : 'none' } as const;
    for await (const chunk of chunksOf(packed, () => {})) {
      reader.push(chunk);
      for (;;) {
        const piece = reader.nextPiece() as Piece | undefined;
        if (!piece) break;
        if (!take(piece)) return;
      }
    }
    if (!reader.isComplete()) throw new Error('the archive ends in the middle of a file');
  } finally {
    reader.free();
  }
}

export async function listTar(archive: Streamed): Promise<Entry[]> {
  const entries: Entry[] = [];
  const source = { kind: 'member', archive } as const;
  await readTar(archive, ({ path, size, done }) => {
    if (done) entries.push({ path: path.replace(/^(\.?\/)+/, ''), size, source });
    return true;
  });
  return entries;
}
