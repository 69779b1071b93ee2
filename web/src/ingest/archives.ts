/** Archives become what is in them. */

import type { Pool } from '../workers/pool.js';
import { archiveKind, type Entry, type Listing } from './entries.js';

/**
 * Archives among the loose files of a drop become listings of their own; what lies in a folder stays as it is, so that
 * a forgotten backup is not read along with the log.
 */
export async function unpack(listings: readonly Listing[], pool: Pool): Promise<Listing[]> {
  const result: Listing[] = [];
  for (const listing of listings) {
    const rest: Entry[] = [];
    for (const entry of listing.entries) {
      const kind = entry.path.includes('/') ? null : archiveKind(entry.path);
      if (kind && entry.source.kind === 'packed') {
        const { blob } = entry.source.packed;
        result.push({ name: entry.path, entries: await pool.list(blob, kind, entry.path) });
      } else {
        rest.push(entry);
      }
    }
    if (rest.length > 0 || listing.entries.length === 0) result.push({ name: listing.name, entries: rest });
  }
  return result;
}
