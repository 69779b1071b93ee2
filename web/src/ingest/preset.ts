/** Sample epochs by the simulated engine: made in a worker, then read like files that were dropped. */

import { Failure } from '../failure.js';
import type { Asked, Preset, Said } from '../workers/simulate.worker.js';
import { entryOf } from './entries.js';
import type { Gather } from './reading.js';

/** The page shows one epoch of a preset; other seeds are for the command line. */
const SEED = 1n;

/** What can be generated; the module that generates knows. */
export async function presets(): Promise<readonly Preset[]> {
  return (await ask({ type: 'presets' })).presets;
}

export function presetGather(preset: string): Gather {
  return async (signal, told) => {
    told(`Simulating ${preset}`);
    const { files } = await ask({ type: 'epoch', preset, seed: SEED }, signal);
    const entries = files.map(({ path, bytes }) => entryOf(path, new File([bytes], path)));
    return [{ name: preset, entries }];
  };
}

/** A worker for each question: nothing of it stays, and it is cancelled by ending the worker. */
function ask<T extends Asked['type']>(
  asked: Extract<Asked, { type: T }>,
  signal?: AbortSignal,
): Promise<Extract<Said, { type: T }>> {
  const worker = new Worker(new URL('../workers/simulate.worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Extract<Said, { type: T }>>((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new Failure(
          `The sample could not be made: ${why}`,
          'Check that the server is reachable, then try again. Your own files can be dropped all the same.',
        ),
      );
    worker.onmessage = ({ data }: MessageEvent<Said>) => {
      if (data.type === 'failed') fail(data.why);
      else resolve(data as Extract<Said, { type: T }>);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message || 'its program could not be loaded');
    };
    signal?.addEventListener('abort', () => reject(signal.reason));
    worker.postMessage(asked);
  }).finally(() => worker.terminate());
}
