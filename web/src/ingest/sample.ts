/** Archives of the page's own origin: the built-in sample, and what `#url=` names. */

import { loadOwn } from '../network.js';
import { bytes } from '../view/format.js';
import { entryOf } from './entries.js';
import type { Gather } from './reading.js';

export function addressGather(address: string): Gather {
  return async (signal, told) => {
    const file = await loadOwn(address, signal, (done, total) =>
      told(total === null ? `Loading, ${bytes(done)}` : `Loading, ${bytes(done)} of ${bytes(total)}`),
    );
    return [{ name: file.name, entries: [entryOf(file.name, file)] }];
  };
}

/** A small real epoch with stalls that were injected. */
export const sampleGather: Gather = addressGather('sample/stalls.tar.gz');
