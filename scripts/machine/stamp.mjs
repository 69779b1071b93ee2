/**
 * A stamp lies inside the folder it vouches for and holds what the folder was made from, so that a second run does
 * nothing and a deleted folder takes its stamp along.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = '.made-from';

/**
 * @param {string} folder absolute
 * @param {string} madeFrom of `digest`
 */
export function isMadeFrom(folder, madeFrom) {
  try {
    return readFileSync(join(folder, NAME), 'utf8') === madeFrom;
  } catch {
    return false;
  }
}

/**
 * @param {string} folder absolute; made when it is not there
 * @param {string} madeFrom of `digest`
 */
export function stamp(folder, madeFrom) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, NAME), madeFrom);
}

/**
 * SHA-256 over the content of files and over plain words, in this order.
 *
 * @param {string[]} files absolute paths
 * @param {string[]} words
 */
export function digest(files, words = []) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file)).update('\0');
  for (const word of words) hash.update(word).update('\0');
  return hash.digest('hex');
}
