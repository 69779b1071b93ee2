import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { root } from '../../../scripts/machine/root.mjs';

const unpacked = join(root, 'fixtures', 'unpacked');

/** The packed real epochs, as a user would drop them. @param {string} name */
export const epochArchive = (name) => join(root, 'fixtures', 'epochs', `${name}.tar.gz`);

/** The hook directory of a real run (fixtures/README.md). Not to be written to. @param {string} name */
export const epochFolder = (name) => existing(join(unpacked, 'epochs', name));

/** A conformance case's hook directory. Not to be written to. @param {string} name @param {string} [log] */
export const caseFolder = (name, log = 'log') => existing(join(unpacked, 'cases', name, log));

/** @type {string[]} */
const made = [];

/**
 * A copy of a folder that a test may alter; removed after the file's last test.
 *
 * @param {string} folder absolute
 */
export function copyOf(folder) {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** An empty folder, removed after the file's last test. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'stepscope-'));
  made.push(folder);
  return folder;
}

after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** @param {string} path */
function existing(path) {
  if (!existsSync(path)) throw new Error(`${path} is not there; unpack the fixtures: npm run fixtures`);
  return path;
}
