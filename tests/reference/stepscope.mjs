import { spawnSync } from 'node:child_process';
import { root } from '../../scripts/machine/root.mjs';
import { Failed } from '../../scripts/machine/run.mjs';

/**
 * Builds the command line.
 *
 * @param {{ release?: boolean }} [options]
 * @returns {string} path of the program, as cargo names it
 */
export function stepscope({ release = false } = {}) {
  return built(
    ['--package', 'stepscope', '--bin', 'stepscope', ...(release ? ['--release'] : [])],
    'stepscope',
  );
}

/**
 * Builds a program of the workspace.
 *
 * @param {string[]} words of `cargo build`
 * @param {string} name of the program
 * @returns {string} its path, as cargo names it
 */
export function built(words, name) {
  const ran = spawnSync('cargo', ['build', ...words, '--message-format=json-render-diagnostics'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Failed(`cargo could not build ${name}`);
  for (const line of ran.stdout.split('\n')) {
    if (!line.includes('"executable":"')) continue;
    const message = JSON.parse(line);
    if (message.target.name === name) return message.executable;
  }
  throw new Failed(`cargo built no program named ${name}`);
}
