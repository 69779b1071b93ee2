/** The conformance cases once more, through the wasm build. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fixtures } from '../../scripts/fixtures.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { run } from '../../scripts/machine/run.mjs';
import { differences } from './differences.mjs';

const cases = join(root, 'fixtures/unpacked/cases');
/** @type {any} the glue, which has no types before it is built */
let wasm;

before(async () => {
  await fixtures();
  await run('cargo', ['xtask', 'wasm', '--conformance']);
  const built = join(root, 'target/conformance-pkg');
  wasm = await import(join(built, 'stepscope_wasm.js'));
  wasm.initSync({ module: readFileSync(join(built, 'stepscope_wasm_bg.wasm')) });
});

test('all cases equal the reference', () => {
  const names = readdirSync(cases).filter((name) => statSync(join(cases, name)).isDirectory());
  assert.equal(names.length, 99);
  const found = [];
  for (const name of names) {
    const ours = JSON.parse(answer(name));
    const expected = JSON.parse(readFileSync(join(cases, name, 'expected.json'), 'utf8'));
    assert.equal(ours.imports.length, expected.imports.length, name);
    for (const [at, parts] of ours.imports.entries()) {
      for (const [part, value] of Object.entries(parts))
        found.push(...differences(value, expected.imports[at][part], `${name} import ${at} ${part}`));
    }
    found.push(...differences(ours.diagnose, expected.diagnose, `${name} diagnose`));
  }
  assert.deepEqual(found.slice(0, 20), []);
});

/** @param {string} name of a case */
function answer(name) {
  const folder = join(cases, name);
  const one = new wasm.ConformanceCase();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const inside = path.slice(folder.length + 1);
    if (entry.isFile()) one.add(inside, readFileSync(path));
    // Every log held an empty folder that is no epoch; an archive of files loses it.
    else if (/^log[^/]*\/[^/]+$/.test(inside) && isFirst(path))
      one.add(`${inside}/no-epoch/`, new Uint8Array());
  }
  try {
    return one.answer();
  } finally {
    one.free();
  }
}

/** @param {string} path of a host's folder: whether it is the first of its log */
function isFirst(path) {
  const log = join(path, '..');
  return readdirSync(log).sort()[0] === path.slice(log.length + 1);
}
