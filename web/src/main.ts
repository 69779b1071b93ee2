/** Starts the page: workers, element, and what tests may look at. */

import { failureFrom } from './failure.js';
import { guard } from './faults.js';
import type { Timings } from './scope.js';
import { SessionClient } from './session/client.js';
import { Pool, poolSize } from './workers/pool.js';
import { spawn } from './workers/role.js';
import './elements/step-scope.js';
import type { StepScope } from './elements/step-scope.js';

/** What tests and benchmarks may look at. */
export interface Surface {
  /** Resolves when nothing is being read, asked or drawn. */
  idle(): Promise<void>;
  readonly timings: Timings;
}

declare global {
  interface Window {
    stepscope: Surface;
  }
}

const worker = spawn('session');
const session = new SessionClient(worker as never);
const pool = new Pool(poolSize(navigator.hardwareConcurrency), session.module, () => spawn('reader'));
const element = document.querySelector('step-scope') as StepScope;
const scope = element.begin(session, pool);
worker.onerror = (event) => {
  event.preventDefault();
  scope.breaks(failureFrom(new Error(event.message || 'the session worker could not run')));
};
guard((thrown) => scope.fail(thrown));

window.stepscope = Object.freeze({
  idle: () => scope.idle(),
  get timings() {
    return scope.timings;
  },
});
