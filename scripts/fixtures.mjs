/** `npm run fixtures`: unpacks fixtures/ into fixtures/unpacked/, as fixtures/README.md says. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './machine/root.mjs';
import { giveUp, run, say } from './machine/run.mjs';
import { digest, isMadeFrom, stamp } from './machine/stamp.mjs';

const packed = join(root, 'fixtures');
const unpacked = join(packed, 'unpacked');

/** The conformance cases and the real epochs, ready to be read. */
export async function fixtures() {
  await unpack([join(packed, 'cases.tar.gz')], join(unpacked, 'cases'));
  const epochs = readdirSync(join(packed, 'epochs')).filter((name) => name.endsWith('.tar.gz'));
  await unpack(epochs.map((name) => join(packed, 'epochs', name)), join(unpacked, 'epochs'));
}

/**
 * @param {string[]} archives absolute paths
 * @param {string} folder absolute; replaced whole
 */
async function unpack(archives, folder) {
  const madeFrom = digest(archives);
  if (isMadeFrom(folder, madeFrom)) return;
  say(`unpacking ${archives.map((path) => basename(path)).join(', ')}`);
  // Beside its place first: whoever reads meanwhile sees the old folder or the new one, never half of one.
  const half = `${folder}.${process.pid}`;
  mkdirSync(half, { recursive: true });
  for (const archive of archives) await run('tar', ['-xzf', archive, '-C', half, '--no-same-owner']);
  stamp(half, madeFrom);
  rmSync(folder, { recursive: true, force: true });
  renameSync(half, folder);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await fixtures().catch(giveUp);
