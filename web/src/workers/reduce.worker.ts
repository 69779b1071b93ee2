/** Says whose requests are whose. Loaded, with a wasm of its own, when an artifact is opened; answers one question. */

import type { Packed } from '../ingest/entries.js';
import { compileOwn } from '../network.js';
import init, { own } from '../pkg-reduce/stepscope_reduce.js';
import wasmUrl from '../pkg-reduce/stepscope_reduce_bg.wasm?url';
import type { OwnRequest, RequestIds } from '../session/answers.js';
import { chunksOf } from './chunks.js';

export interface Asked {
  readonly run: Packed;
  readonly epochs: readonly RequestIds[];
}

export type Said =
  | { readonly type: 'own'; readonly own: readonly (OwnRequest | null)[][] }
  | { readonly type: 'failed'; readonly why: string };

async function answer({ run, epochs }: Asked): Promise<Said> {
  await init({ module_or_path: await compileOwn(wasmUrl) });
  const pieces: BlobPart[] = [];
  for await (const piece of chunksOf(run, () => {})) pieces.push(piece.slice());
  const artifact = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const found = epochs.map((ids) => own(artifact, ids) as (OwnRequest | null)[]);
  return { type: 'own', own: found };
}

addEventListener('message', (event: MessageEvent<Asked>) => {
  answer(event.data).then(
    (said) => postMessage(said),
    (thrown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      postMessage({ type: 'failed', why } satisfies Said);
    },
  );
});
