/** One script for every worker, so that the wasm's glue is loaded once; a worker's name says what it is for. */

import { serve as serveSession } from '../session/serve.js';
import { serve as serveReader } from './read.js';
import type { WorkerRole } from './role.js';

if ((self.name as WorkerRole) === 'session') serveSession();
else serveReader();
