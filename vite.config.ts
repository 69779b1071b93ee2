import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { securityHeaders } from './scripts/serve/headers.mjs';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page's sample is a fixture: a real epoch with stalls, served and built as `sample/stalls.tar.gz`. */
function sample(): Plugin {
  const name = 'sample/stalls.tar.gz';
  const archive = () => readFileSync(at('fixtures/epochs/stalls.tar.gz'));
  return {
    name: 'sample',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url?.split('?')[0] !== `/${name}`) return next();
        response.setHeader('Content-Type', 'application/gzip');
        response.end(archive());
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: name, source: archive() });
    },
  };
}

const pages = ['web/index.html', 'web/embed.html'].map(at).filter((page) => existsSync(page));

export default defineConfig({
  root: at('web'),
  // Relative, so that the page works under any path of any host.
  base: './',
  cacheDir: at('node_modules/.vite'),
  plugins: [sample()],
  worker: { format: 'es' },
  build: {
    outDir: at('web/dist'),
    target: 'es2022',
    // An inlined file would be a data: URL, which the policy forbids for scripts and wasm.
    assetsInlineLimit: 0,
    // Its polyfill is an inline script, and what is loaded later is one file.
    modulePreload: false,
    rolldownOptions: { input: pages },
  },
  server: { headers: securityHeaders, hmr: { overlay: false } },
  preview: { headers: securityHeaders },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
