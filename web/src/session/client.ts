/**
 * Questions to the session worker. Of one kind at most one question is under way and one waits; a newer one takes the
 * place of the one that waits, so the answer drawn is never older than needed and nothing piles up.
 */

import type { Manifest, SessionApi } from './answers.js';
import type { Answer, Question, SessionReply } from './protocol.js';

/** The methods of the session as promises. */
export type Methods = SessionApi & {
  manifest(entries: { path: string; size: number }[]): Manifest;
};

export type Method = keyof Methods;

/** A question was overtaken by a newer one of its kind: nothing to show, nothing wrong. */
export const OVERTAKEN = Symbol('overtaken');

interface Waiting {
  question: Omit<Question, 'id'>;
  transfer: Transferable[];
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

interface Lane {
  busy: boolean;
  next: Waiting | null;
}

/** What the client needs of a worker; a test gives it something smaller. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export class SessionClient {
  /** Milliseconds of the last answers by method, newest last. */
  readonly times = new Map<Method, number[]>();
  /** The compiled module, for the workers that parse. */
  readonly module: Promise<WebAssembly.Module>;
  /** The session cannot be asked any more, and why. */
  onbroken: ((why: Error) => void) | null = null;
  readonly #port: Port;
  readonly #lanes = new Map<string, Lane>();
  readonly #open = new Map<
    number,
    { waiting: Waiting; kind: string | null; method: Method; since: number }
  >();
  readonly #idle: (() => void)[] = [];
  #id = 0;

  constructor(port: Port) {
    this.#port = port;
    let ready: (module: WebAssembly.Module) => void;
    let broken: (error: Error) => void;
    this.module = new Promise((resolve, reject) => {
      ready = resolve;
      broken = reject;
    });
    this.module.catch(() => {});
    port.onmessage = (event: MessageEvent<SessionReply>) => {
      const reply = event.data;
      if (reply.type === 'ready') ready(reply.module);
      else if (reply.type === 'broken') {
        broken(new Error(reply.why));
        this.onbroken?.(new Error(reply.why));
      } else this.#answered(reply);
    };
  }

  get busy(): boolean {
    return this.#open.size > 0;
  }

  /** Asks in order with everything else asked by `tell`; never overtaken. */
  tell<M extends Method>(
    method: M,
    parameters: Parameters<Methods[M]>,
    transfer: Transferable[] = [],
  ): Promise<ReturnType<Methods[M]>> {
    return new Promise((resolve, reject) => {
      this.#send(null, {
        question: { method, parameters },
        transfer,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
    });
  }

  /** Asks for something to show. Resolves to `OVERTAKEN` when a newer question of the kind came before its turn. */
  ask<M extends Method>(
    kind: string,
    method: M,
    ...parameters: Parameters<Methods[M]>
  ): Promise<ReturnType<Methods[M]> | typeof OVERTAKEN> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        question: { method, parameters },
        transfer: [],
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      let lane = this.#lanes.get(kind);
      if (!lane) {
        lane = { busy: false, next: null };
        this.#lanes.set(kind, lane);
      }
      if (lane.busy) {
        lane.next?.resolve(OVERTAKEN);
        lane.next = waiting;
      } else {
        lane.busy = true;
        this.#send(kind, waiting);
      }
    });
  }

  /** Resolves once nothing is under way. */
  idle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** Everything under way fails with `why`: the worker is gone. */
  abandon(why: Error): void {
    for (const { waiting } of this.#open.values()) waiting.reject(why);
    this.#open.clear();
    for (const lane of this.#lanes.values()) lane.next?.resolve(OVERTAKEN);
    this.#lanes.clear();
  }

  #send(kind: string | null, waiting: Waiting): void {
    this.#id += 1;
    const method = waiting.question.method as Method;
    this.#open.set(this.#id, { waiting, kind, method, since: performance.now() });
    this.#port.postMessage({ ...waiting.question, id: this.#id } satisfies Question, waiting.transfer);
  }

  #answered(answer: Answer): void {
    const open = this.#open.get(answer.id);
    if (!open) return;
    this.#open.delete(answer.id);
    this.#keepTime(open.method, performance.now() - open.since);
    if (open.kind !== null) {
      const lane = this.#lanes.get(open.kind);
      if (lane) {
        const next = lane.next;
        lane.next = null;
        lane.busy = next !== null;
        if (next) this.#send(open.kind, next);
      }
    }
    if ('value' in answer) open.waiting.resolve(answer.value);
    else open.waiting.reject(new Error(answer.why));
    if (!this.busy) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #keepTime(method: Method, milliseconds: number): void {
    const times = this.times.get(method) ?? [];
    times.push(milliseconds);
    if (times.length > 1000) times.splice(0, 500);
    this.times.set(method, times);
  }
}
