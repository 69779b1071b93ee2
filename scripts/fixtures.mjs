/** `npm run fixtures`: unpacks fixtures/ into fixtures/unpacked/, as fixtures/README.md says. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './machine/root.mjs';
import { giveUp, run, say } from './machine/run.mjs';
import { digest, isMadeFrom, stamp } from './machine/stamp.mjs';

const packed = join(root, 'fixtures');
const unpacked = join(packed, 'unpacked');

/** The conformance cases and the real epochs, ready to be read. */
export async function fixtures() {
  const epochs = readdirSync(join(packed, 'epochs')).filter((name) => name.endsWith('.tar.gz'));
  const archives = [
    { archive: join(packed, 'cases.tar.gz'), folder: 'cases' },
    ...epochs.map((name) => ({ archive: join(packed, 'epochs', name), folder: 'epochs' })),
  ];
  const madeFrom = digest(archives.map(({ archive }) => archive));
  if (isMadeFrom(unpacked, madeFrom)) return;

  say('unpacking the conformance cases and the real epochs into fixtures/unpacked');
  // Beside its place first: whoever reads meanwhile sees the old files or the new ones, never half of them.
  const half = `${unpacked}.${process.pid}`;
  for (const { archive, folder } of archives) {
    mkdirSync(join(half, folder), { recursive: true });
    await run('tar', ['-xzf', archive, '-C', join(half, folder), '--no-same-owner']);
  }
  stamp(half, madeFrom);
  rmSync(unpacked, { recursive: true, force: true });
  renameSync(half, unpacked);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await fixtures().catch(giveUp);
