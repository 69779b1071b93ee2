/** The artifact of every real epoch is the same bytes from the wasm build and from the command line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fixtures } from '../../scripts/fixtures.mjs';
import { root } from '../../scripts/machine/root.mjs';
import { stepscope } from '../reference/stepscope.mjs';
import { clientArtifact } from './client-artifact.mjs';

const epochs = join(root, 'fixtures/unpacked/epochs');
const REAL = ['steady', 'stalls', 'preempt', 'pause_reset', 'spec_ngram', 'killed_torn', 'multi', 'crashed'];
/** @type {any} the glue, which has no types before it is built */
let page;
/** @type {any} */
let wasm;
/** @type {string} */
let program;

before(async () => {
  await fixtures();
  program = stepscope();
  const load = async (/** @type {string} */ folder, /** @type {string} */ name) => {
    const glue = join(root, 'web/src', folder);
    const module = await import(join(glue, `${name}.js`));
    module.initSync({ module: readFileSync(join(glue, `${name}_bg.wasm`)) });
    return module;
  };
  page = await load('pkg', 'stepscope_wasm');
  wasm = await load('pkg-reduce', 'stepscope_reduce');
});

/** Paths and bytes of the files in a folder. @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => ({ path: String(path), absolute: join(folder, String(path)) }))
    .filter(({ absolute }) => statSync(absolute).isFile())
    .map(({ path, absolute }) => ({ path, size: statSync(absolute).size, bytes: readFileSync(absolute) }));
}

/** @param {string} folder @param {{ corrected?: boolean, raw?: boolean, stopped?: boolean }} options */
function inWasm(folder, { corrected = false, raw = false, stopped = false }) {
  const files = filesIn(folder);
  const manifest = page.manifest(files.map(({ path, size }) => ({ path, size })));
  const bytesOf = (/** @type {number} */ at) => files[at]?.bytes ?? assert.fail(`file ${at}`);
  const reducer = new wasm.Reducer(stopped);
  for (const epoch of manifest.epochs) {
    reducer.openEpoch(epoch);
    for (const [number, { entry, name }] of epoch.segments.entries()) {
      const parser = new page.SegmentParser(name, epoch.epoch);
      parser.push(bytesOf(entry));
      reducer.addBlock(number, parser.finish());
    }
    if (epoch.status !== null) reducer.setStatus(bytesOf(epoch.status));
    if (epoch.key !== null) reducer.setKey(bytesOf(epoch.key));
  }
  const artifact = reducer.standalone(manifest.notes, corrected, raw);
  reducer.free();
  return artifact;
}

/** @param {string} folder @param {string[]} words */
function native(folder, words) {
  const made = mkdtempSync(join(tmpdir(), 'stepscope-reduce-'));
  try {
    const output = join(made, 'run.jsonl');
    const { status, stderr } = spawnSync(program, ['reduce', folder, '-o', output, ...words], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return readFileSync(output);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** @param {Uint8Array} bytes */
const digest = (bytes) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;

for (const name of REAL) {
  test(`the artifact of ${name}, by both rule sets`, () => {
    const folder = join(epochs, name);
    for (const [options, words] of /** @type {const} */ ([
      [{}, []],
      [{ corrected: true }, ['--rules', 'corrected']],
      [{ raw: true, stopped: true }, ['--raw-foreign-ids', '--server-stopped']],
    ])) {
      const ours = inWasm(folder, options);
      assert.ok(ours.length > 1000, `${ours.length} bytes`);
      assert.equal(digest(ours), digest(native(folder, [...words])), words.join(' '));
    }
  });
}

test('what makes no sense is said in words', () => {
  const reducer = new wasm.Reducer(false);
  assert.throws(() => reducer.addBlock(0, new Uint8Array()), /no epoch is open/);
  assert.throws(() => reducer.openEpoch({}), /no epoch of a manifest/);
  assert.throws(() => reducer.standalone([], false, false), /epoch/);
  reducer.free();
});

test("a client's requests are found in the log, each once, and nobody else's", () => {
  const { bytes, requests } = clientArtifact('stalls');
  const ids = filesIn(join(epochs, 'stalls'))
    .filter(({ path }) => path.includes('.jsonl'))
    .flatMap((file) => file.bytes.toString().trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'alias')
    .map(({ internal, external }) => ({ internal, external }));
  const strangers = [
    { internal: 'cmpl-somebody-else-0-0a1b2c3d', external: null },
    { internal: 'x', external: 'chatcmpl-nobody' },
  ];
  const asked = [...ids, ...strangers];
  const found = wasm.own(bytes, {
    randomization: true,
    internal: asked.map(({ internal }) => internal),
    external: asked.map(({ external }) => external),
  });
  assert.deepEqual(found.slice(ids.length), [null, null]);
  const own = found.filter(Boolean);
  assert.ok(requests.length > 400);
  assert.deepEqual(
    own.map((/** @type {any} */ { requestId }) => requestId).sort(),
    requests.map(({ requestId }) => requestId).sort(),
  );
  const at = ids.findIndex(({ external }) => external.startsWith(requests[1]?.external ?? '?'));
  assert.deepEqual(found[at], { requestId: 'mine-1', caseId: 'batch', phase: 'measure' });
  assert.throws(
    () => wasm.own(Buffer.from('{"no":"artifact"}\n'), { randomization: null, internal: [], external: [] }),
    /no artifact that can be read/,
  );
});
