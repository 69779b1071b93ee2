import { after } from 'node:test';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/machine/chromium.mjs';

const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A request that slipped past every other check still reaches nobody.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let launched;

/** The system's Chromium, one for all tests of a file; closed after the last. */
export function browser() {
  launched ??= launch();
  return launched;
}

after(
  async () => {
    await (await launched)?.close();
  },
  // A browser that has died does not answer its closing.
  { timeout: 30_000 },
);

function launch() {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('No Chromium on the PATH; npm test says how to get one');
  // A signal ends the test as it ends any program: a browser closed under tests that go on would only confuse them.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ executablePath, args: ARGUMENTS, ...signals });
}
