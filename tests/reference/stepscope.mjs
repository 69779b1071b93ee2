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
  const words = [
    'build',
    '--package',
    'stepscope',
    '--bin',
    'stepscope',
    '--message-format=json-render-diagnostics',
  ];
  if (release) words.push('--release');
  const built = spawnSync('cargo', words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  if (built.status !== 0) throw new Failed('cargo could not build the command line');
  for (const line of built.stdout.split('\n')) {
    if (!line.includes('"executable":"')) continue;
    const message = JSON.parse(line);
    if (message.target.name === 'stepscope') return message.executable;
  }
  throw new Failed('cargo built no program named stepscope');
}
