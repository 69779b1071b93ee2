import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ask, Failed, MissingPiece, run, say } from './run.mjs';

const WASM = 'wasm32-unknown-unknown';

/** cargo, and the standard library for wasm. */
export async function rust() {
  const sysroot = ask('rustc', ['--print', 'sysroot']);
  if (sysroot === null || ask('cargo', ['--version']) === null) {
    throw new MissingPiece('Rust 1.90 or newer; install it with rustup (https://rustup.rs)');
  }
  if (existsSync(join(sysroot, 'lib', 'rustlib', WASM, 'lib'))) return;
  await rustup(['target', 'add', WASM], `Rust's ${WASM} target`);
}

/** rustfmt and clippy, which a minimal toolchain leaves out. */
export async function rustLinters() {
  if (ask('cargo', ['fmt', '--version']) === null) await rustup(['component', 'add', 'rustfmt'], 'rustfmt');
  if (ask('cargo', ['clippy', '--version']) === null) await rustup(['component', 'add', 'clippy'], 'clippy');
}

/** Whether `cargo nextest` can be used instead of `cargo test`. */
export function hasNextest() {
  return ask('cargo', ['nextest', '--version']) !== null;
}

/**
 * @param {string[]} words
 * @param {string} piece what is missing when this fails
 */
async function rustup(words, piece) {
  say(`adding ${piece} (rustup ${words.join(' ')})`);
  try {
    await run('rustup', words);
  } catch (error) {
    if (!(error instanceof Failed || error instanceof MissingPiece)) throw error;
    throw new MissingPiece(`${piece}; \`rustup ${words.join(' ')}\` did not get it, see above`);
  }
}
