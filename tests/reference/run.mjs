/** `npm run fuzz:reference [-- --count N --seed S]`: sets up what it needs and runs fuzz.py with these words. */
import { python, reference } from '../../scripts/machine/reference.mjs';
import { giveUp, run } from '../../scripts/machine/run.mjs';
import { rust } from '../../scripts/machine/rust.mjs';
import { stepscope } from './stepscope.mjs';

try {
  await rust();
  await reference();
  await run(python, ['tests/reference/fuzz.py', '--stepscope', stepscope(), ...process.argv.slice(2)]);
} catch (error) {
  giveUp(error);
}
