/** What a worker is for: it owns the session, or it reads files. */
export type WorkerRole = 'session' | 'reader';

export function spawn(name: WorkerRole): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name });
}
