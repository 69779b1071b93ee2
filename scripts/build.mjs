/** `npm run build`: the page, in web/dist. */
import { fileURLToPath } from 'node:url';
import { nodeModules } from './machine/node-modules.mjs';
import { giveUp, run, say } from './machine/run.mjs';
import { rust } from './machine/rust.mjs';

/** The wasm and its glue, in web/src/pkg. */
export async function buildWasm({ dev = false } = {}) {
  say('building the wasm');
  await run('cargo', ['xtask', 'wasm', ...(dev ? ['--dev'] : [])]);
}

/** The page around them, in web/dist. */
export async function buildPage() {
  say('building the page');
  await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await nodeModules();
    await rust();
    await buildWasm();
    await buildPage();
  } catch (error) {
    giveUp(error);
  }
}
