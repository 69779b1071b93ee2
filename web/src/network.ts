/**
 * The only module that uses the network: the page's own wasm and sample, and an archive that the user named by
 * `#url=`. All of it from the page's own origin.
 */

import { Failure } from './failure.js';

/** The wasm is compiled once, while it arrives; workers get the compiled module. */
export async function compileOwn(url: string): Promise<WebAssembly.Module> {
  // biome-ignore lint/style/noRestrictedGlobals: the page's own wasm.
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  if (response.headers.get('content-type')?.startsWith('application/wasm')) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Loads an archive of this origin as a file; `told` gets the bytes so far and, when known, in all. */
export async function loadOwn(
  address: string,
  signal: AbortSignal,
  told: (done: number, total: number | null) => void,
): Promise<File> {
  const url = new URL(address, document.baseURI);
  if (url.origin !== location.origin) {
    throw new Failure(
      `${url.origin} is another site`,
      'Stepscope only opens archives from the site it is served by. Download the archive and drop it here.',
    );
  }
  let response: Response;
  try {
    // biome-ignore lint/style/noRestrictedGlobals: the archive that the user asked for.
    response = await fetch(url, { signal, credentials: 'same-origin', referrerPolicy: 'no-referrer' });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Failure(
      `${url.pathname} could not be loaded`,
      'The connection failed. Check that the server is reachable, or download the archive and drop it here.',
    );
  }
  if (!response.ok || !response.body) {
    throw new Failure(
      `${url.pathname} could not be loaded: ${response.status} ${response.statusText}`,
      'Check the address after #url=. It is looked up from the page’s own address.',
    );
  }
  const length = Number(response.headers.get('content-length'));
  const total = Number.isFinite(length) && length > 0 ? length : null;
  const parts: BlobPart[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { value, done: ended } = await reader.read();
    if (ended) break;
    parts.push(value);
    done += value.byteLength;
    told(done, total);
  }
  const name = decodeURIComponent(url.pathname.split('/').at(-1) || 'archive');
  return new File(parts, name);
}
