/** The session as the page's worker calls it: every question on real epochs, and what it says to calls that make no sense. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fixtures } from '../../scripts/fixtures.mjs';
import { root } from '../../scripts/machine/root.mjs';

const glue = join(root, 'web/src/pkg');
const epochs = join(root, 'fixtures/unpacked/epochs');
const TRACKS = ['overview', 'loop', 'tokens', 'requests', 'members', 'coverage'];
/** @type {any} the glue, which has no types before it is built */
let wasm;

before(async () => {
  await fixtures();
  wasm = await import(join(glue, 'stepscope_wasm.js'));
  wasm.initSync({ module: readFileSync(join(glue, 'stepscope_wasm_bg.wasm')) });
});

/**
 * @param {string} folder
 * @returns {{path: string, size: number, bytes: Buffer}[]}
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => ({ path: String(path), absolute: join(folder, String(path)) }))
    .filter(({ absolute }) => statSync(absolute).isFile())
    .map(({ path, absolute }) => ({ path, size: statSync(absolute).size, bytes: readFileSync(absolute) }));
}

/**
 * @param {{bytes: Buffer}[]} files
 * @param {number} entry
 */
function bytesOf(files, entry) {
  const file = files[entry];
  assert.ok(file, `file ${entry}`);
  return file.bytes;
}

/**
 * @param {string} name
 * @param {string} epoch
 * @param {Uint8Array} bytes
 */
function blockOf(name, epoch, bytes) {
  const parser = new wasm.SegmentParser(name, epoch);
  for (let at = 0; at < bytes.length; at += 1 << 20) parser.push(bytes.subarray(at, at + (1 << 20)));
  return parser.finish();
}

/**
 * Opens every epoch of a set of files.
 *
 * @param {{path: string, size: number, bytes: Buffer}[]} files
 * @returns {{manifest: any, session: any, ids: number[]}}
 */
function opened(files) {
  const manifest = wasm.manifest(files.map(({ path, size }) => ({ path, size })));
  const session = new wasm.Session();
  const ids = manifest.epochs.map((/** @type {any} */ epoch) => {
    const id = session.openEpoch(epoch);
    // Workers finish in any order.
    for (const at of [...epoch.segments.keys()].reverse()) {
      const { entry, name } = epoch.segments[at];
      session.addBlock(id, at, blockOf(name, epoch.epoch, bytesOf(files, entry)));
    }
    if (epoch.status !== null) session.setStatus(id, files[epoch.status]?.bytes);
    if (epoch.key !== null) session.setKey(id, files[epoch.key]?.bytes);
    session.complete(id);
    return id;
  });
  return { manifest, session, ids };
}

/**
 * Everything a session can be asked of an epoch, as one JSON text.
 *
 * @param {any} session
 * @param {number} id
 */
function everything(session, id) {
  const overview = session.overview(id);
  const answers = [overview];
  const { t0, t1 } = overview;
  for (const [from, to, width] of [
    [t0, t1, 1280],
    [t0 + (t1 - t0) * 0.4, t0 + (t1 - t0) * 0.41, 3840],
  ]) {
    answers.push(session.tracks(id, from, to, width));
    for (const order of ['seats', 'arrival']) answers.push(session.lanes(id, from, to, width, 0, 40, order));
  }
  for (const stall of overview.stalls) answers.push(session.explainStall(id, stall.index));
  for (const order of ['time', 'longest']) {
    answers.push(session.stepRows(id, order, 0, 20));
    if (overview.steps > 0) answers.push(session.rowOfStep(id, order, overview.steps - 1));
  }
  for (let step = 0; step < Math.min(overview.steps, 20); step += 1) answers.push(session.step(id, step));
  answers.push(session.cursor(id, t1 / 2), session.nextMark(id, t0, 1), session.nextMark(id, t1, -1));
  for (const track of TRACKS) answers.push(session.marks(id, track, t0, t1, 0, 50));
  answers.push(session.problems(id, 0, 50), session.config(id), session.summary(id));
  return JSON.stringify(answers, (_, value) =>
    ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value,
  );
}

test('every question has an answer on every real epoch, and no answer holds the key', () => {
  let asked = 0;
  for (const name of readdirSync(epochs)) {
    const files = filesIn(join(epochs, name));
    const { manifest, session, ids } = opened(files);
    assert.equal(manifest.advice, null, name);
    for (const [at, id] of ids.entries()) {
      const text = everything(session, id);
      const key = bytesOf(files, manifest.epochs[at].key);
      for (const shown of [key.toString('hex'), key.toString('base64'), key.toString('latin1')]) {
        assert.ok(!text.includes(shown), name);
      }
      asked += 1;
    }
  }
  assert.equal(asked, 15);
});

test('answers have the shapes of answers.ts', () => {
  const { session, ids } = opened(filesIn(join(epochs, 'stalls')));
  const overview = session.overview(ids[0]);
  assert.equal(overview.entry.role, 'engine');
  assert.equal(overview.originMonoNs, '2246968380013');
  assert.equal(overview.trust.level, 'good');
  assert.equal(overview.empty, null);
  assert.equal(overview.waitingRecorded, true);
  assert.deepEqual(overview.verdict.parts[0].link, { kind: 'tab', tab: 'stalls' });
  const [stall] = overview.stalls;
  assert.deepEqual(
    [stall.locus, stall.attribution, stall.baseline, stall.bucket, stall.lateHeartbeat],
    ['between_steps', 'host', 'matched', '2–3 tokens', false],
  );
  const tracks = session.tracks(ids[0], 0, overview.t1, 1280);
  for (const column of [
    'inSchedule',
    'withinStep',
    'between',
    'paused',
    'idle',
    'stepTime',
    'live',
    'waiting',
  ])
    assert.ok(tracks[column] instanceof Float32Array && tracks[column].length === tracks.bins, column);
  for (const column of ['stall', 'marks', 'coverage'])
    assert.ok(tracks[column] instanceof Uint8Array && tracks[column].length === tracks.bins, column);
  assert.ok(tracks.steps instanceof Uint32Array);
  assert.equal(
    Array.from(tracks.steps, Number).reduce((sum, steps) => sum + steps, 0),
    overview.steps,
  );
  const lanes = session.lanes(ids[0], 0, overview.t1, 1280, 0, 40, 'seats');
  for (const column of ['runT0', 'runT1', 'tickT', 'endT', 'labelT0', 'labelT1'])
    assert.ok(lanes[column] instanceof Float64Array, column);
  assert.equal(lanes.labels.length, lanes.labelLane.length);
  assert.ok(lanes.runKind.length > 100);
  const row = session.step(ids[0], 0);
  assert.equal(row.members[0].cells.length, row.memberColumns.length);
  assert.equal(row.previous, null);
  assert.equal(session.nextMark(ids[0], overview.t1 + 1, 1), null);
});

test('an archive gives the same epoch as its folder', () => {
  const packed = gunzipSync(readFileSync(join(root, 'fixtures/epochs/killed_torn.tar.gz')));
  const reader = new wasm.TarReader();
  const pieces = new Map();
  for (let at = 0; at < packed.length; at += 100_000) {
    reader.push(packed.subarray(at, at + 100_000));
    for (let piece = reader.nextPiece(); piece; piece = reader.nextPiece()) {
      const file = pieces.get(piece.path) ?? { path: piece.path, size: piece.size, parts: [] };
      file.parts.push(Buffer.from(piece.bytes));
      pieces.set(piece.path, file);
    }
  }
  assert.ok(reader.isComplete());
  const files = [...pieces.values()].map(({ path, size, parts }) => ({
    path,
    size,
    bytes: Buffer.concat(parts),
  }));
  const packedEpochs = opened(files);
  const folder = opened(filesIn(join(epochs, 'killed_torn')));
  assert.equal(packedEpochs.ids.length, folder.ids.length);
  for (const [at, id] of packedEpochs.ids.entries()) {
    assert.equal(everything(packedEpochs.session, id), everything(folder.session, Number(folder.ids[at])));
  }
  const broken = new wasm.TarReader();
  broken.push(new Uint8Array(1024).fill(7));
  assert.throws(() => broken.nextPiece(), /not a tar archive.*drop the folder/);
});

test('a segment that cannot be read, or not to its end, is a problem and no end', () => {
  const files = filesIn(join(epochs, 'stalls'));
  const manifest = wasm.manifest(files.map(({ path, size }) => ({ path, size })));
  const [epoch] = manifest.epochs;
  const session = new wasm.Session();
  const id = session.openEpoch(epoch);
  const bytes = bytesOf(files, epoch.segments[0].entry);
  session.addUnreadable(id, 0, 'the disk went away');
  session.addBlock(id, 0, blockOf(epoch.segments[0].name, epoch.epoch, bytes.subarray(0, 100_000)));
  session.addUnreadable(id, 2, 'no permission');
  const entry = session.complete(id);
  assert.ok(entry.records > 50 && entry.steps > 0);
  const problems = session
    .problems(id, 0, 9)
    .map((/** @type {any} */ problem) => `${problem.place} ${problem.what}`);
  assert.ok(
    problems.some(
      (/** @type {string} */ text) => text.includes('000000.jsonl') && text.includes('the disk went away'),
    ),
    problems,
  );
  assert.ok(
    problems.some(
      (/** @type {string} */ text) => text.includes('000002.jsonl') && text.includes('no permission'),
    ),
    problems,
  );
});

test('calls that make no sense are refused in words, and the session lives on', () => {
  const { session, ids } = opened(filesIn(join(epochs, 'crashed')));
  const [id] = ids;
  const open = session.openEpoch({
    ...{ hostBoot: 'h-b', epoch: 'engine-1-1', role: 'engine', pid: '1', startNs: '1' },
    segments: [{ entry: 0, name: '000000.jsonl', bytes: 1, open: false }],
    ...{ status: null, key: null, bytes: 1, missing: [] },
  });
  /** @type {[() => unknown, RegExp][]} */
  const refusals = [
    [() => session.overview(99), /there is no epoch 99/],
    [() => session.openEpoch({ nonsense: true }), /no epoch of a manifest/],
    [() => session.openEpoch(null), /no epoch of a manifest/],
    [() => session.addBlock(open, 0, new Uint8Array(3)), /damaged/],
    [() => session.addBlock(open, 7, blockOf('000000.jsonl', '', Buffer.from(''))), /no segment 7/],
    [() => session.requestRows(id, 'sideways', '', 0, 1), /no order sideways/],
    [() => session.request(id, 4_000_000_000), /has no request/],
    [
      () => session.addBlock(id, 0, blockOf('000000.jsonl', '', Buffer.from(''))),
      /is complete: drop it again/,
    ],
    [() => session.complete(id), /is complete/],
    [() => session.lanes(id, 0, 1, 1, 0, 1, 'sideways'), /ask for seats or arrival/],
    [() => session.stepRows(id, 'sideways', 0, 1), /ask for time or longest/],
    [() => session.marks(id, 'sideways', 0, 1, 0, 1), /no track sideways/],
    [() => session.step(id, 4_000_000_000), /has no step/],
    [() => session.explainStall(id, 4_000_000_000), /lists no stall/],
    [() => wasm.manifest('nonsense'), /no list of/],
  ];
  for (const [call, words] of refusals) {
    assert.throws(
      call,
      (/** @type {unknown} */ error) =>
        error instanceof Error && !(error instanceof WebAssembly.RuntimeError) && words.test(error.message),
    );
  }
  for (const t of [NaN, Infinity, -Infinity, -1e300, 1e300, 0]) {
    session.tracks(id, t, -t, 4_000_000_000);
    session.lanes(id, -t, t, 0, 0, 4_000_000_000, 'arrival');
    session.cursor(id, t);
    session.nextMark(id, t, 1);
    session.marks(id, 'loop', t, -t, 4_000_000_000, 4_000_000_000);
  }
  assert.equal(session.overview(id).steps, 46);
  session.removeEpoch(id);
  assert.throws(() => session.overview(id), /there is no epoch/);
  session.removeEpoch(12345);
});
