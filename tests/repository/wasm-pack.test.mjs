/** The wasm crate builds the way its users build theirs, where wasm-pack is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../scripts/machine/root.mjs';
import { ask } from '../../scripts/machine/run.mjs';

const version = ask('wasm-pack', ['--version']);
if (version === null) {
  console.log('wasm-pack is not on the PATH: `wasm-pack build` of crates/wasm is not tried');
} else {
  test(`${version} builds crates/wasm for the web`, () => {
    const out = mkdtempSync(join(tmpdir(), 'stepscope-wasm-pack-'));
    try {
      // no-install: the tools come from the PATH, none from a download.
      const words = ['build', '--mode', 'no-install', '--target', 'web', '--out-dir', out, 'crates/wasm'];
      const { status, stderr } = spawnSync('wasm-pack', words, { cwd: root, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      const files = readdirSync(out);
      for (const name of [
        'package.json',
        'stepscope_wasm.js',
        'stepscope_wasm.d.ts',
        'stepscope_wasm_bg.wasm',
      ]) {
        assert.ok(files.includes(name), `${name} is not among ${files.join(', ')}`);
      }
    } finally {
      rmSync(out, { recursive: true });
    }
  });
}
