/** Owns the epochs and answers questions about them, in the order they come. */

import { compileOwn } from '../network.js';
import init, { manifest, SegmentParser, Session } from '../pkg/stepscope_wasm.js';
import wasmUrl from '../pkg/stepscope_wasm_bg.wasm?url';
import { rehearse } from '../workers/rehearsal.js';
import type { Question, SessionReply } from './protocol.js';

function say(reply: SessionReply, transfer: Transferable[] = []): void {
  postMessage(reply, { transfer });
}

function words(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

type Call = (...parameters: unknown[]) => unknown;

async function start(): Promise<(method: string, parameters: unknown[]) => unknown> {
  const module = await compileOwn(wasmUrl);
  await init({ module_or_path: module });
  say({ type: 'ready', module });
  const session = new Session();
  return (method, parameters) =>
    method === 'manifest'
      ? (manifest as Call)(...parameters)
      : (session[method as keyof Session] as Call).apply(session, parameters);
}

/** The columns of an answer are moved, not copied. */
function columns(value: unknown): Transferable[] {
  if (typeof value !== 'object' || value === null) return [];
  const buffers = new Set<ArrayBuffer>();
  for (const field of Object.values(value)) {
    if (ArrayBuffer.isView(field) && field.buffer instanceof ArrayBuffer) buffers.add(field.buffer);
  }
  return [...buffers];
}

/** Bytes the session keeps no longer are given back now, not when a collector gets to it. */
function release(bytes: Uint8Array): void {
  const buffer = bytes.buffer as ArrayBuffer & { transfer?(length: number): ArrayBuffer };
  buffer.transfer?.(0);
}

/** Blocks stay outside the wasm's memory, which never shrinks, until their epoch is complete. */
class Blocks {
  readonly #kept = new Map<unknown, Uint8Array[]>();

  /** After a question has been answered. */
  answered(method: string, parameters: readonly unknown[]): void {
    const [epoch] = parameters;
    const bytes = parameters.filter((parameter) => parameter instanceof Uint8Array);
    if (method === 'addBlock') this.#kept.set(epoch, [...(this.#kept.get(epoch) ?? []), ...bytes]);
    else bytes.forEach(release);
    if (method !== 'complete' && method !== 'removeEpoch') return;
    this.#kept.get(epoch)?.forEach(release);
    this.#kept.delete(epoch);
  }
}

/** Makes this worker the session's. */
export function serve(): void {
  const starting = start();
  const blocks = new Blocks();
  let asked = false;
  starting.then(
    () => {
      const parts = rehearse({ manifest, SegmentParser, Session });
      const next = (): void => {
        // What is asked for real goes first, and warms the code as well.
        if (!asked && !parts.next().done) setTimeout(next);
      };
      next();
    },
    (thrown) => say({ type: 'broken', why: words(thrown) }),
  );

  addEventListener('message', async (event: MessageEvent<Question>) => {
    asked = true;
    const { id, method, parameters } = event.data;
    try {
      const call = await starting;
      const value = call(method, parameters);
      blocks.answered(method, parameters);
      say({ type: 'answer', id, value }, columns(value));
    } catch (thrown) {
      // After a trap the session's memory is in no state to be asked again.
      if (thrown instanceof WebAssembly.RuntimeError) say({ type: 'broken', why: words(thrown) });
      say({ type: 'answer', id, why: words(thrown) });
    }
  });
}
