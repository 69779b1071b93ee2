/**
 * The workers that read files: one a core up to eight, warm before the first drop. Each takes one job at a time. Work
 * is cancelled by ending the workers that do it; new ones are warmed at once.
 */

import { Failure } from '../failure.js';
import type { ArchiveKind, Entry } from '../ingest/entries.js';
import type { FromWorker, Job, ToWorker } from './jobs.js';

/** What a job tells while it runs. */
export interface Hearing {
  progress?(bytes: number): void;
  listed?(entries: Entry[]): void;
  got?(tag: number, bytes: Uint8Array, fault: string | null): void;
  unreadable?(tag: number, why: string): void;
}

interface Task {
  job: Job;
  hearing: Hearing;
  resolve(): void;
  reject(reason: unknown): void;
}

interface Seat {
  worker: Worker;
  task: Task | null;
  /** The worker stopped while it had nothing to do; another is made when there is. */
  stopped: boolean;
}

/** Wasm memory never shrinks: a worker that has grown past this is replaced once no job waits. */
const GROWN_BYTES = 4 * 1024 * 1024;

export const CANCELLED = Symbol('cancelled');

export function poolSize(cores: number | undefined): number {
  return Math.min(Math.max(cores ?? 4, 1), 8);
}

export class Pool {
  readonly #spawn: () => Worker;
  readonly #module: Promise<WebAssembly.Module>;
  readonly #seats: Seat[] = [];
  #queue: Task[] = [];

  constructor(size: number, module: Promise<WebAssembly.Module>, spawn: () => Worker) {
    this.#spawn = spawn;
    this.#module = module;
    for (let i = 0; i < size; i += 1) this.#seats.push(this.#seat());
  }

  get size(): number {
    return this.#seats.length;
  }

  run(job: Job, hearing: Hearing): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, hearing, resolve, reject });
      this.#next();
    });
  }

  /** What is in an archive. */
  async list(blob: Blob, archive: ArchiveKind, name: string): Promise<Entry[]> {
    let found: Entry[] = [];
    try {
      await this.run({ kind: 'list', blob, archive }, { listed: (entries) => (found = entries) });
    } catch (thrown) {
      if (thrown === CANCELLED) throw thrown;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Failure(
        `${name} could not be unpacked: ${why}`,
        'The archive is damaged or incomplete. Make it again, or drop the folder itself.',
      );
    }
    return found;
  }

  /** Ends everything under way; promises of `run` are rejected with `CANCELLED`. */
  cancel(): void {
    const queued = this.#queue;
    this.#queue = [];
    for (const task of queued) task.reject(CANCELLED);
    for (const seat of this.#seats) {
      const { task } = seat;
      if (!task) continue;
      this.#replace(seat);
      task.reject(CANCELLED);
    }
  }

  #seat(): Seat {
    const seat: Seat = { worker: this.#spawn(), task: null, stopped: false };
    this.#listen(seat);
    return seat;
  }

  #replace(seat: Seat): void {
    seat.worker.terminate();
    seat.worker = this.#spawn();
    seat.task = null;
    seat.stopped = false;
    this.#listen(seat);
  }

  #listen(seat: Seat): void {
    const { worker } = seat;
    this.#module.then(
      (module) => worker.postMessage({ type: 'start', module } satisfies ToWorker),
      () => {},
    );
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (seat.worker === worker) this.#heard(seat, event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (seat.worker !== worker) return;
      const { task } = seat;
      seat.task = null;
      seat.stopped = true;
      task?.reject(new Error(event.message || 'a worker that reads files could not run'));
      this.#next();
    };
  }

  #heard(seat: Seat, word: FromWorker): void {
    const { task } = seat;
    if (!task) return;
    if (word.type === 'progress') task.hearing.progress?.(word.bytes);
    else if (word.type === 'listed') task.hearing.listed?.(word.entries);
    else if (word.type === 'got') task.hearing.got?.(word.tag, word.bytes, word.fault);
    else if (word.type === 'unreadable') task.hearing.unreadable?.(word.tag, word.why);
    else if (word.type === 'done' || word.type === 'failed') {
      seat.task = null;
      const spent = word.type === 'failed' || (this.#queue.length === 0 && word.memory > GROWN_BYTES);
      if (spent) this.#replace(seat);
      if (word.type === 'failed') task.reject(new Error(word.why));
      else task.resolve();
      this.#next();
    }
  }

  #next(): void {
    for (const seat of this.#seats) {
      if (seat.task) continue;
      const task = this.#queue.shift();
      if (!task) return;
      if (seat.stopped) this.#replace(seat);
      seat.task = task;
      seat.worker.postMessage({ type: 'job', job: task.job } satisfies ToWorker);
    }
  }
}
