/** Files from a picker. */

import { entryOf, type Listing } from './entries.js';

/** A folder picker gives paths that begin with the folder; a file picker gives names. */
export function picked(files: Iterable<File>): Listing[] {
  const folders = new Map<string, Listing>();
  for (const file of files) {
    const path = file.webkitRelativePath || file.name;
    const name = file.webkitRelativePath ? (path.split('/')[0] as string) : '';
    let listing = folders.get(name);
    if (!listing) {
      listing = { name: name || file.name, entries: [] };
      folders.set(name, listing);
    }
    listing.entries.push(entryOf(path, file));
  }
  return [...folders.values()];
}
