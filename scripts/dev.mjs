/** `npm run dev`: Vite's dev server over a quick build of the wasm. After a change in crates/: cargo xtask wasm --dev. */
import { buildWasm } from './build.mjs';
import { nodeModules } from './machine/node-modules.mjs';
import { giveUp, run } from './machine/run.mjs';
import { rust } from './machine/rust.mjs';

try {
  await nodeModules();
  await rust();
  await buildWasm({ dev: true });
  await run(process.execPath, ['node_modules/vite/bin/vite.js', ...process.argv.slice(2)]);
} catch (error) {
  giveUp(error);
}
