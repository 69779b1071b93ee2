/** Which requests of a log are a client's own. */

import { Failure } from '../failure.js';
import type { OwnRequest, RequestIds } from '../session/answers.js';
import type { Asked, Said } from '../workers/reduce.worker.js';
import type { Run } from './runs.js';

/** For each epoch, which of its requests are the run's. A worker does it and ends: nothing of the artifact stays. */
export function ownOf(run: Run, epochs: readonly RequestIds[]): Promise<(OwnRequest | null)[][]> {
  const worker = new Worker(new URL('../workers/reduce.worker.ts', import.meta.url), { type: 'module' });
  return new Promise<(OwnRequest | null)[][]>((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new Failure(
          `${run.name} could not be used: ${why}`,
          'Its requests are shown like those of others. An artifact is a .jsonl or .jsonl.gz file that a client recorded of its run.',
        ),
      );
    worker.onmessage = ({ data }: MessageEvent<Said>) => {
      if (data.type === 'failed') fail(data.why);
      else resolve([...data.own]);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message || 'its program could not be loaded');
    };
    worker.postMessage({ run: run.packed, epochs } satisfies Asked);
  }).finally(() => worker.terminate());
}
