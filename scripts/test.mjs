/**
 * `npm test`: sets everything up and runs every test. `npm test -- clippy page` runs the stages of these names alone.
 * All stages run even when one fails.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage, buildWasm } from './build.mjs';
import { fixtures } from './fixtures.mjs';
import { chromium } from './machine/chromium.mjs';
import { nodeModules } from './machine/node-modules.mjs';
import { reference } from './machine/reference.mjs';
import { root } from './machine/root.mjs';
import { Failed, giveUp, run, say } from './machine/run.mjs';
import { hasNextest, rust, rustLinters } from './machine/rust.mjs';

/** @param {string[]} words of a cargo command */
const cargo = (...words) => run('cargo', words);
/** @param {string[]} words a script in node_modules, its arguments */
const node = (...words) => run(process.execPath, words);
const tsc = 'node_modules/typescript/bin/tsc';

// Some runners paint whatever reads them; a log is for people and programs.
const plain = process.stdout.isTTY ? [] : ['--colors=off'];
if (!process.stdout.isTTY) process.env.NO_COLOR ??= '1';

/** A file of tests that takes 15 minutes hangs: it fails and is named. */
const HANGS = '--test-timeout=900000';

/** In this order: what is quick and what others stand on first, the browser last. */
const STAGES = {
  rustfmt: () => cargo('fmt', '--all', '--check'),
  wasm: () => buildWasm(),
  types: async () => {
    await node(tsc, '--project', 'tsconfig.json');
    await node(tsc, '--project', 'tsconfig.node.json');
  },
  biome: () => node('node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', ...plain),
  vitest: () => node('node_modules/vitest/vitest.mjs', 'run'),
  page: async () => {
    await buildPage();
    await cargo('xtask', 'size');
  },
  clippy: () => cargo('clippy', '--workspace', '--all-targets', '--quiet', '--', '-D', 'warnings'),
  rust: async () => {
    if (hasNextest()) {
      await cargo('nextest', 'run', '--workspace', '--no-fail-fast');
      // What nextest cannot run.
      await cargo('test', '--workspace', '--doc', '--quiet');
    } else {
      await cargo('test', '--workspace', '--no-fail-fast');
    }
  },
  node: () => node('--test', '--test-reporter=spec', '--test-concurrency=1', HANGS, ...nodeTests()),
};

try {
  const stages = chosen(process.argv.slice(2));
  await nodeModules();
  await rust();
  await rustLinters();
  await chromium();
  if (existsSync(join(root, 'tests', 'reference'))) await reference();
  await fixtures();

  const failed = [];
  for (const [name, stage] of stages) {
    say(`test: ${name}`);
    const began = performance.now();
    const failure = await stage().then(
      () => null,
      (error) => error,
    );
    if (failure !== null && !(failure instanceof Failed)) throw failure;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    // The last stage closes with its runner's own summary; nothing of ours stands after it when all is well.
    const isLast = name === stages.at(-1)?.[0];
    if (failure !== null) {
      console.error(`✗ ${name}: ${failure.message}`);
      failed.push(name);
    } else if (!isLast) {
      console.log(`✓ ${name} (${seconds} s)`);
    }
  }
  if (failed.length > 0) throw new Failed(`failed: ${failed.join(', ')}`);
} catch (error) {
  giveUp(error);
}

/**
 * @param {string[]} names none for all
 * @returns {[string, () => Promise<void>][]}
 */
function chosen(names) {
  const unknown = names.find((name) => !(name in STAGES));
  if (unknown !== undefined)
    throw new Failed(`no stage ${unknown}; there are ${Object.keys(STAGES).join(', ')}`);
  return Object.entries(STAGES).filter(([name]) => names.length === 0 || names.includes(name));
}

/** Paths of all `*.test.mjs` in tests/: Node 20 takes no pattern. */
function nodeTests() {
  return readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => join('tests', name))
    .sort();
}
