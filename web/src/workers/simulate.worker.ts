/** Makes sample epochs in memory. Loaded, with a wasm of its own, when somebody asks for one; answers one question. */

import { compileOwn } from '../network.js';
import init, { generate, presets } from '../pkg-simulate/stepscope_simulate.js';
import wasmUrl from '../pkg-simulate/stepscope_simulate_bg.wasm?url';

/** What can be generated. */
export interface Preset {
  readonly name: string;
  /** What happens in it, in a sentence. */
  readonly about: string;
  /** Not one of fixed times and counts. */
  readonly adjustable: boolean;
}

/** A file of an epoch. */
export interface Made {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type Asked =
  | { readonly type: 'presets' }
  /** The same seed gives the same bytes. */
  | { readonly type: 'epoch'; readonly preset: string; readonly seed: bigint };

export type Said =
  | { readonly type: 'presets'; readonly presets: readonly Preset[] }
  | { readonly type: 'epoch'; readonly files: readonly Made[] }
  | { readonly type: 'failed'; readonly why: string };

function say(said: Said, transfer: Transferable[] = []): void {
  postMessage(said, { transfer });
}

async function answer(asked: Asked): Promise<void> {
  await init({ module_or_path: await compileOwn(wasmUrl) });
  if (asked.type === 'presets') {
    say({ type: 'presets', presets: presets() });
  } else {
    const files = generate(asked.preset, asked.seed);
    const buffers = files.map(({ bytes }) => bytes.buffer);
    say({ type: 'epoch', files }, buffers);
  }
}

addEventListener('message', (event: MessageEvent<Asked>) => {
  answer(event.data).catch((thrown) => {
    say({ type: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) });
  });
});
