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

/**
 * The system's Chromium. Whoever launches it closes it.
 *
 * @param {import('playwright-core').LaunchOptions} [options] on top of our own
 */
export function launch(options = {}) {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('No Chromium on the PATH; npm test says how to get one');
  return chromium.launch({ executablePath, args: ARGUMENTS, ...options });
}
