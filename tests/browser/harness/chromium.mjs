import { after } from 'node:test';
import { launch } from './launch.mjs';

// A signal ends the test as it ends any program: a browser closed under tests that go on would only confuse them.
const SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let launched;

/** The system's Chromium, one for all tests of a file; closed after the last. */
export function browser() {
  launched ??= launch(SIGNALS);
  return launched;
}

after(
  async () => {
    await (await launched)?.close();
  },
  // A browser that has died does not answer its closing.
  { timeout: 30_000 },
);
