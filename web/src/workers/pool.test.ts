import { expect, test } from 'vitest';
import type { FromWorker, Job, ToWorker } from './jobs.js';
import { CANCELLED, Pool, poolSize } from './pool.js';

class Hand {
  jobs: Job[] = [];
  ended = false;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  postMessage(word: ToWorker): void {
    if (word.type === 'job') this.jobs.push(word.job);
  }
  terminate(): void {
    this.ended = true;
  }
  say(word: FromWorker): void {
    this.onmessage?.({ data: word } as MessageEvent);
  }
}

function pool(size: number) {
  const hands: Hand[] = [];
  const made = new Pool(size, Promise.resolve({} as WebAssembly.Module), () => {
    const hand = new Hand();
    hands.push(hand);
    return hand as unknown as Worker;
  });
  return { pool: made, hands };
}

const job: Job = { kind: 'list', blob: new Blob(), archive: 'zip' };

test('one worker a core, up to eight', () => {
  expect([poolSize(1), poolSize(2), poolSize(64), poolSize(undefined)]).toEqual([1, 2, 8, 4]);
});

test('jobs wait for a free worker and are taken in order', async () => {
  const { pool: p, hands } = pool(2);
  const runs = [1, 2, 3].map(() => p.run(job, {}));
  expect(hands.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
  hands[1]?.say({ type: 'done', memory: 0 });
  await runs[1];
  expect(hands.map(({ jobs }) => jobs.length)).toEqual([1, 2]);
});

test('a worker that has grown is replaced once no job waits', async () => {
  const { pool: p, hands } = pool(1);
  const first = p.run(job, {});
  const second = p.run(job, {});
  hands[0]?.say({ type: 'done', memory: 1 << 30 });
  await first;
  expect(hands[0]?.ended).toBe(false);
  hands[0]?.say({ type: 'done', memory: 1 << 30 });
  await second;
  expect(hands[0]?.ended).toBe(true);
  expect(hands).toHaveLength(2);
});

test('cancelling ends the workers at work, warms others and forgets what waited', async () => {
  const { pool: p, hands } = pool(2);
  const running = p.run(job, {});
  const other = p.run(job, {});
  const waiting = p.run(job, {});
  p.cancel();
  for (const each of [running, other, waiting]) await expect(each).rejects.toBe(CANCELLED);
  expect(hands).toHaveLength(4);
  expect(hands.map(({ ended }) => ended)).toEqual([true, true, false, false]);
  hands[0]?.say({ type: 'done', memory: 0 });
  const next = p.run(job, {});
  hands[2]?.say({ type: 'done', memory: 0 });
  await next;
});

test('a worker that fails fails its job alone', async () => {
  const { pool: p, hands } = pool(1);
  const first = p.run(job, {});
  const second = p.run(job, {});
  hands[0]?.say({ type: 'failed', why: 'unreachable' });
  await expect(first).rejects.toThrow('unreachable');
  expect(hands).toHaveLength(2);
  hands[1]?.say({ type: 'done', memory: 0 });
  await second;
});

test('a worker whose script cannot run is not made again and again', async () => {
  const { pool: p, hands } = pool(1);
  const stop = () => hands.at(-1)?.onerror?.({ message: '', preventDefault() {} } as ErrorEvent);
  stop();
  expect(hands).toHaveLength(1);
  const run = p.run(job, {});
  expect(hands).toHaveLength(2);
  stop();
  await expect(run).rejects.toThrow('could not run');
  expect(hands).toHaveLength(2);
});

test('a damaged archive is named, with advice', async () => {
  const { pool: p, hands } = pool(1);
  const listed = p.list(new Blob(), 'zip', 'logs.zip');
  hands[0]?.say({ type: 'failed', why: 'it has no end record of a zip' });
  await expect(listed).rejects.toMatchObject({
    message: 'logs.zip could not be unpacked: it has no end record of a zip',
    advice: expect.stringContaining('drop the folder'),
  });
});
