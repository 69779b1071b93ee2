import { join } from 'node:path';
import { root } from './root.mjs';
import { Failed, MissingPiece, run, say } from './run.mjs';
import { digest, isMadeFrom, stamp } from './stamp.mjs';

/** The packages of package-lock.json, in node_modules. */
export async function nodeModules() {
  requireNode();
  const folder = join(root, 'node_modules');
  const lock = join(root, 'package-lock.json');
  const madeFrom = digest([lock], [process.platform, process.arch, process.version]);
  if (isMadeFrom(folder, madeFrom)) return;
  say('installing the npm packages (npm ci)');
  try {
    await run('npm', ['ci', '--no-fund', '--no-audit']);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    throw new MissingPiece(
      'the npm packages of package-lock.json; npm ci needs a registry it can reach, see above',
    );
  }
  stamp(folder, madeFrom);
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!enough)
    throw new MissingPiece(`Node 20.19 or 22.12 or newer; this is ${process.version} (https://nodejs.org)`);
}
