/** Nothing in the repository is true of one machine only. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../scripts/machine/root.mjs';

/** Folders that hold someone's files. */
const PRIVATE = ['home', 'Users', 'root', 'work'];
/** An absolute path into one of them, not the tail of a longer path or of a URL. */
const MACHINE_PATH = new RegExp(`(?<![\\w./~-])/(?:${PRIVATE.join('|')})/[\\w.]`);
/** A lock file that names a host makes everyone download from it. */
const REGISTRY_HOST =
  /"resolved"\s*:|registry\.(?:npmjs|yarnpkg|npmmirror)\.|files\.pythonhosted\.|index\.crates\.io/;
/** Cargo writes this for every registry that stands in for it: the name of a source, not a host that is asked. */
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index';

/** Tracked text files and their lines. */
function* lines() {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const name of names.filter((name) => name !== '')) {
    let text;
    try {
      text = readFileSync(join(root, name), 'utf8');
    } catch (error) {
      // Deleted in the working copy and not committed yet.
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') continue;
      throw error;
    }
    if (text.includes('\0')) continue;
    for (const [index, line] of text.split('\n').entries()) yield { place: `${name}:${index + 1}`, line };
  }
}

/** @param {RegExp} pattern */
const placesOf = (pattern) =>
  [...lines()]
    .filter(({ line }) => pattern.test(line))
    .map(({ place, line }) => `${place}: ${line.trim().slice(0, 120)}`);

test('the patterns find what they are for', () => {
  for (const folder of PRIVATE) {
    for (const line of [`cd /${folder}/me`, `"/${folder}/.cache"`, `open(/${folder}/a)`])
      assert.match(line, MACHINE_PATH);
    for (const line of [`./${folder}/a`, `https://host/${folder}/a`, `/${folder}space/a`])
      assert.doesNotMatch(line, MACHINE_PATH);
  }
  const key = '"resolved"';
  assert.match(`      ${key}: "https://host/lit-3.tgz",`, REGISTRY_HOST);
  assert.doesNotMatch(`source = "${CRATES_IO}"`, REGISTRY_HOST);
});

test('no tracked file names a folder of a machine', () => {
  assert.deepEqual(placesOf(MACHINE_PATH), []);
});

test('no tracked file names a registry', () => {
  assert.deepEqual(placesOf(REGISTRY_HOST), []);
});

test('every crate of Cargo.lock comes from crates.io or this repository', () => {
  const locked = [...lines()].filter(({ place }) => place.startsWith('Cargo.lock:'));
  const sources = locked
    .map(({ line }) => /^source = "(.*)"$/.exec(line)?.[1])
    .filter((source) => source !== undefined);
  assert.deepEqual([...new Set(sources)], [CRATES_IO]);
});
