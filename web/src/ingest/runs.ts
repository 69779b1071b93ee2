/** Artifacts of clients' runs: they say which requests of a log are whose. */

import type { Entry, Listing, Packed } from './entries.js';

/** A loose file that is no segment: what a client recorded of its run. */
export interface Run {
  readonly name: string;
  readonly packed: Packed;
}

const JSON_LINES = /\.jsonl(\.gz)?$/i;
const SEGMENT = /^\d{6}\.jsonl(\.part)?(\.gz)?$/;

/** The artifacts among the loose files, and everything else. */
export function takeRuns(listings: readonly Listing[]): { runs: Run[]; rest: Listing[] } {
  const runs: Run[] = [];
  const rest: Listing[] = [];
  for (const { name, entries } of listings) {
    const others: Entry[] = [];
    for (const entry of entries) {
      const { path, source } = entry;
      const isRun = !path.includes('/') && JSON_LINES.test(path) && !SEGMENT.test(path);
      if (isRun && source.kind === 'packed') runs.push({ name: path, packed: source.packed });
      else others.push(entry);
    }
    if (others.length > 0 || entries.length === 0) rest.push({ name, entries: others });
  }
  return { runs, rest };
}
