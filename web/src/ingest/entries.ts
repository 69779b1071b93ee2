/** Files as they come in, before anything says what they are. */

/** A file, or a part of one, with what must be undone to read it. */
export interface Packed {
  readonly blob: Blob;
  /** Outermost first; none for a plain file. */
  readonly encodings: readonly ('gzip' | 'deflate-raw')[];
}

/** An archive that can only be read from its beginning. */
export interface Streamed {
  readonly blob: Blob;
  readonly gzip: boolean;
}

export type Source =
  | { readonly kind: 'packed'; readonly packed: Packed }
  | { readonly kind: 'member'; readonly archive: Streamed }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface Entry {
  /** With `/`, without a leading one. */
  readonly path: string;
  /** Bytes; of a compressed file as it lies there. */
  readonly size: number;
  readonly source: Source;
}

/** What was dropped as one thing: a folder, an archive, or the loose files of one drop. */
export interface Listing {
  readonly name: string;
  readonly entries: Entry[];
}

export function entryOf(path: string, file: File): Entry {
  const packed = { blob: file, encodings: isGzip(path) ? (['gzip'] as const) : [] };
  return { path, size: file.size, source: { kind: 'packed', packed } };
}

export function isGzip(path: string): boolean {
  return /\.gz$/i.test(path);
}

export type ArchiveKind = 'zip' | 'tar' | 'tar.gz';

/** By name: what a file is unpacked as, or null when it is no archive. */
export function archiveKind(name: string): ArchiveKind | null {
  if (/\.zip$/i.test(name)) return 'zip';
  if (/\.(tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  if (/\.tar$/i.test(name)) return 'tar';
  return null;
}
