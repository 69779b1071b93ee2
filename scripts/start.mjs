/** `npm start`: sets everything up, builds the page and serves it on this machine. PORT chooses the port. */
import { join } from 'node:path';
import { buildPage, buildWasm } from './build.mjs';
import { nodeModules } from './machine/node-modules.mjs';
import { root } from './machine/root.mjs';
import { giveUp } from './machine/run.mjs';
import { rust } from './machine/rust.mjs';
import { servePage } from './serve/page-server.mjs';

const PORT = 4280;

try {
  await nodeModules();
  await rust();
  await buildWasm();
  await buildPage();
  const { url } = await serve(join(root, 'web', 'dist'));
  console.log(
    `\nStepscope, with its sample open:  ${url}#sample\nwith nothing open:                ${url}\n(Ctrl-C stops it)`,
  );
} catch (error) {
  giveUp(error);
}

/** @param {string} folder */
async function serve(folder) {
  if (process.env.PORT) return servePage({ folder, port: Number(process.env.PORT) });
  try {
    return await servePage({ folder, port: PORT });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error;
    return servePage({ folder });
  }
}
