import { spawnSync } from 'node:child_process';
import { root } from '../../scripts/machine/root.mjs';
import { Failed } from '../../scripts/machine/run.mjs';

/**
 * Builds the programs of crates/artifact/examples.
 *
 * @returns {Record<string, string>} path of each program by its name
 */
export function examples() {
  const words = ['build', '--package', 'stepscope-artifact', '--examples'];
  const built = spawnSync('cargo', [...words, '--message-format=json-render-diagnostics'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  if (built.status !== 0) throw new Failed('cargo could not build the examples of crates/artifact');
  /** @type {Record<string, string>} */
  const programs = {};
  for (const line of built.stdout.split('\n')) {
    if (!line.includes('"executable":"')) continue;
    const message = JSON.parse(line);
    programs[message.target.name] = message.executable;
  }
  return programs;
}
