/** A static server for the built page: files of one folder, GET and HEAD, nothing else. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { securityHeaders } from './headers.mjs';

/** @type {Record<string, string>} */
const CONTENT_TYPES = {
  '.css': 'text/css; charset=utf-8',
  // A .gz goes out as the file it is, never as a Content-Encoding: the page unpacks it itself.
  '.gz': 'application/gzip',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/x-ndjson; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/**
 * @typedef {object} PageServer
 * @property {string} url of the page, with a slash at its end
 * @property {() => Promise<void>} close
 */

/**
 * Serves a folder on this machine alone (127.0.0.1).
 *
 * @param {object} options
 * @param {string} options.folder absolute
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {string} [options.under] path the page lies under, with a slash at both ends
 * @param {boolean} [options.headers] false for a host that sends no security headers
 * @returns {Promise<PageServer>}
 */
export async function servePage({ folder, port = 0, under = '/', headers = true }) {
  const server = createServer((request, response) => {
    answer(folder, under, request, response, headers ? securityHeaders : {}).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}${under}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {string} folder
 * @param {string} under
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {Record<string, string>} headers
 */
async function answer(folder, under, request, response, headers) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, headers);
  const path = filePath(folder, under, request.url ?? '/');
  const found = path === null ? null : await stat(path).catch(() => null);
  if (path === null || found === null || !found.isFile()) return end(response, 404, headers);
  response.writeHead(200, {
    ...headers,
    'Content-Type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    'Content-Length': found.size,
    'Cache-Control': 'no-cache',
  });
  if (request.method === 'HEAD') response.end();
  // A reader that goes away half way is no error of the server's.
  else pipeline(createReadStream(path), response, () => {});
}

/**
 * @param {string} folder
 * @param {string} under
 * @param {string} target of the request
 * @returns {string | null} absolute path; null for what lies outside
 */
function filePath(folder, under, target) {
  // The parser of URLs resolves `..` and `%2e%2e` before we look.
  const { pathname } = new URL(target, 'http://localhost');
  if (!pathname.startsWith(under)) return null;
  let name;
  try {
    name = decodeURIComponent(pathname.slice(under.length));
  } catch {
    return null;
  }
  if (name.includes('\0') || name.split(/[\\/]/).includes('..')) return null;
  return join(folder, name === '' || name.endsWith('/') ? `${name}index.html` : name);
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} headers
 */
function end(response, status, headers) {
  response.writeHead(status, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(status === 404 ? 'No such file\n' : 'Only GET and HEAD\n');
}
