/** Every preset gives the same bytes on the command line and in the wasm build. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { before, test } from 'node:test';
import { root } from '../../scripts/machine/root.mjs';
import { stepscope } from '../reference/stepscope.mjs';

const glue = join(root, 'web/src/pkg-simulate');
/** Of the presets that can be adjusted: short ones. */
const SECONDS = 4;
/** @type {any} */
let wasm;
/** @type {string} */
let program;

before(async () => {
  program = stepscope();
  wasm = await import(join(glue, 'stepscope_simulate.js'));
  wasm.initSync({ module: readFileSync(join(glue, 'stepscope_simulate_bg.wasm')) });
});

/** @param {Uint8Array} bytes */
const digest = (bytes) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * Size and hash of every file that the command line writes.
 *
 * @param {string[]} words
 * @returns {Record<string, string>}
 */
function native(words) {
  const folder = mkdtempSync(join(tmpdir(), 'stepscope-simulate-'));
  try {
    const { status, stderr } = spawnSync(program, ['simulate', ...words, '-o', join(folder, 'hook')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(folder, path)).isFile(),
    );
    return Object.fromEntries(
      paths.map((path) => [path.split(sep).join('/'), digest(readFileSync(join(folder, path)))]).sort(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {any[]} words of `generate` @returns {Record<string, string>} */
function inWasm(...words) {
  /** @type {{path: string, bytes: Uint8Array}[]} */
  const files = wasm.generate(...words);
  return Object.fromEntries(files.map(({ path, bytes }) => [path, digest(bytes)]).sort());
}

test('the presets of the command line, with their sentences', () => {
  const { stdout } = spawnSync(program, ['simulate'], { encoding: 'utf8' });
  const listed = stdout.trimEnd().split('\n');
  /** @type {{name: string, about: string}[]} */
  const presets = wasm.presets();
  assert.ok(presets.length >= 20);
  assert.deepEqual(
    presets.map(({ name, about }) => `${name} ${about}`),
    listed.map((line) => line.replace(/ +/, ' ')),
  );
});

test('every preset, the adjustable ones for a few seconds, to the byte', () => {
  for (const { name, adjustable } of wasm.presets()) {
    const expected = native([name, '--seed', '7', ...(adjustable ? ['--seconds', String(SECONDS)] : [])]);
    const names = Object.keys(expected);
    assert.ok(
      names.some((path) => /000000\.jsonl/.test(path)),
      names.join(),
    );
    const made = adjustable ? inWasm(name, 7n, SECONDS) : inWasm(name, 7n);
    assert.deepEqual(made, expected, name);
  }
});

test('rate and size, and a seed no double holds', () => {
  const expected = native(['steady', '--seed', '18446744073709551615', '--rate', '9.5', '--size', '300kB']);
  assert.deepEqual(inWasm('steady', 2n ** 64n - 1n, undefined, 9.5, 300_000), expected);
  assert.notDeepEqual(inWasm('steady', 1n, undefined, 9.5, 300_000), expected);
});

test('what cannot be made is said in words', () => {
  assert.throws(() => wasm.generate('no-such', 1n), /there is no preset "no-such"/);
  assert.throws(() => wasm.generate('idle', 1n, 5), /idle has fixed times and counts/);
  assert.throws(() => wasm.generate('steady', 1n, Number.NaN), /seconds must be a positive number/);
  assert.throws(() => wasm.generate('steady', 1n, undefined, -1), /rate must be a positive number/);
});
