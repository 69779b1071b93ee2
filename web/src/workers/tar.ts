/** Tar archives, plain or gzipped, from their beginning to their end without keeping them. */

import type { Entry, Packed, Streamed } from '../ingest/entries.js';
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
    const packed: Packed = { blob: archive.blob, encodings: archive.gzip ? ['gzip'] : [] };
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

/**
 * The files of an archive. One that is cut off or damaged half way still gives those before the fault; reading them
 * meets the fault again and says so.
 */
export async function listTar(archive: Streamed): Promise<Entry[]> {
  const entries: Entry[] = [];
  const source = { kind: 'member', archive } as const;
  let last = '';
  try {
    await readTar(archive, ({ path, size, done }) => {
      if (path !== last) entries.push({ path, size, source });
      last = done ? '' : path;
      return true;
    });
  } catch (thrown) {
    if (entries.length === 0) throw thrown;
  }
  return entries;
}
