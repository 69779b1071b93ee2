/** Starting programs: what they print goes to the terminal, what they cannot do becomes an error with a name. */
import { spawn, spawnSync } from 'node:child_process';
import { root } from './root.mjs';

/** Something the machine lacks and this script cannot get: `message` names it and says how to have it. */
export class MissingPiece extends Error {}

/** A program that ran and said no. */
export class Failed extends Error {}

/** @param {string} text what is being done now */
export function say(text) {
  console.log(`· ${text}`);
}

/**
 * Runs a program in the workspace, its output straight to the terminal.
 *
 * @param {string} program
 * @param {string[]} words
 * @param {{ env?: Record<string, string> }} [options] environment on top of this process's own
 * @returns {Promise<void>}
 */
export function run(program, words, { env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(...command(program, words), {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', (error) => reject(notStarted(program, error)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Failed(`${program} ${words.join(' ')}: ended with ${signal ?? code}`));
    });
  });
}

/**
 * What a program prints, without the last line break; null when it is not there or fails.
 *
 * @param {string} program
 * @param {string[]} words
 * @returns {string | null}
 */
export function ask(program, words) {
  const { status, stdout } = spawnSync(...command(program, words), {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trimEnd() : null;
}

/**
 * Ends the process with the reason of a failure: one line for what we can name, a trace for what we cannot.
 *
 * @param {unknown} error
 * @returns {never}
 */
export function giveUp(error) {
  if (error instanceof MissingPiece) console.error(`✗ Missing: ${error.message}`);
  else if (error instanceof Failed) console.error(`✗ ${error.message}`);
  else console.error(error);
  process.exit(1);
}

/**
 * @param {string} program
 * @param {string[]} words
 * @returns {[string, string[]]}
 */
function command(program, words) {
  // npm is a script, and on Windows only the shell finds it: its own path, run by this node, works everywhere.
  const npm = process.env.npm_execpath;
  return program === 'npm' && npm?.endsWith('.js') ? [process.execPath, [npm, ...words]] : [program, words];
}

/**
 * @param {string} program
 * @param {NodeJS.ErrnoException} error
 */
function notStarted(program, error) {
  return error.code === 'ENOENT' ? new MissingPiece(`${program} is not on the PATH`) : error;
}
