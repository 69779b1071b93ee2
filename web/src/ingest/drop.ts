/** A drop: folders are walked, files taken as they are. */

import { Failure } from '../failure.js';
import { type Entry, entryOf, type Listing } from './entries.js';

/** More files than any hook directory has; someone dropped a home folder. */
const TOO_MANY = 100_000;

/** The handles of a drop. They must be taken inside the event; afterwards the browser has forgotten them. */
export function takeHandles(data: DataTransfer): FileSystemEntry[] {
  const handles: FileSystemEntry[] = [];
  for (const item of data.items) {
    const handle = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    if (handle) handles.push(handle);
  }
  return handles;
}

/** One listing a folder and one for the loose files. */
export async function walk(
  handles: readonly FileSystemEntry[],
  signal: AbortSignal,
  told: (files: number) => void,
): Promise<Listing[]> {
  const listings: Listing[] = [];
  const loose: Entry[] = [];
  let files = 0;
  const seen = (): void => {
    files += 1;
    signal.throwIfAborted();
    if (files > TOO_MANY) {
      throw new Failure(
        'This folder holds more than 100,000 files',
        'Drop the hook directory itself: the one given to the hook, which holds a folder named <host>-<boot>.',
      );
    }
    if (files % 64 === 0) told(files);
  };
  for (const handle of handles) {
    const found = await collect(handle, seen);
    if (handle.isDirectory) listings.push({ name: handle.name, entries: found });
    else loose.push(...found);
  }
  if (loose.length > 0) listings.push({ name: looseName(loose), entries: loose });
  told(files);
  return listings;
}

function looseName(entries: readonly Entry[]): string {
  return entries.length === 1 ? (entries[0] as Entry).path : `${entries.length} files`;
}

/** What is in a folder, in the order the browser tells it; or the file itself. */
async function collect(handle: FileSystemEntry, seen: () => void): Promise<Entry[]> {
  const path = handle.fullPath.replace(/^\/+/, '');
  if (handle.isDirectory) {
    const reader = (handle as FileSystemDirectoryEntry).createReader();
    const found: Entry[] = [];
    // readEntries gives a hundred at a time, and an empty list when there are no more.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
        reader.readEntries(resolve, reject);
      }).catch(() => []);
      if (some.length === 0) return found;
      for (const each of await Promise.all(some.map((child) => collect(child, seen)))) {
        for (const entry of each) found.push(entry);
      }
    }
  }
  seen();
  try {
    const file = await new Promise<File>((resolve, reject) => {
      (handle as FileSystemFileEntry).file(resolve, reject);
    });
    return [entryOf(path, file)];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ path, size: 0, source: { kind: 'unreadable', why } }];
  }
}
