import { expect, test } from 'vitest';
import { OVERTAKEN, SessionClient } from './client.js';
import type { Question } from './protocol.js';

/** A worker whose answers are given by hand. */
function pair() {
  const asked: Question[] = [];
  const port = {
    onmessage: null as ((event: MessageEvent) => void) | null,
    postMessage: (question: unknown) => void asked.push(question as Question),
  };
  const client = new SessionClient(port);
  const say = (data: object) => port.onmessage?.({ data } as MessageEvent);
  return {
    asked,
    client,
    say,
    answer: (i: number, value: unknown) => say({ type: 'answer', id: asked[i]?.id, value }),
  };
}

test('a newer question of a kind takes the place of the one that waits', async () => {
  const { asked, client, answer } = pair();
  const first = client.ask('tracks', 'tracks', 0, 0, 1, 10);
  const second = client.ask('tracks', 'tracks', 0, 0, 2, 10);
  const third = client.ask('tracks', 'tracks', 0, 0, 3, 10);
  expect(asked).toHaveLength(1);
  expect(await second).toBe(OVERTAKEN);
  answer(0, 'one');
  expect(await first).toBe('one');
  expect(asked).toHaveLength(2);
  expect(asked[1]?.parameters).toEqual([0, 0, 3, 10]);
  answer(1, 'three');
  expect(await third).toBe('three');
});

test('questions of other kinds do not wait', () => {
  const { asked, client } = pair();
  client.ask('tracks', 'tracks', 0, 0, 1, 10);
  client.ask('overview', 'tracks', 0, 0, 1, 10);
  expect(asked).toHaveLength(2);
});

test('what is told is never overtaken', () => {
  const { asked, client } = pair();
  for (let i = 0; i < 5; i += 1) client.tell('addBlock', [0, i, new Uint8Array(1)]);
  expect(asked.map(({ parameters }) => parameters[1])).toEqual([0, 1, 2, 3, 4]);
});

test('an answer that says why is an error, and the next question goes out', async () => {
  const { asked, client, say, answer } = pair();
  const first = client.ask('step', 'step', 0, 1);
  const second = client.ask('step', 'step', 0, 2);
  say({ type: 'answer', id: asked[0]?.id, why: 'there is no epoch 0' });
  await expect(first).rejects.toThrow('there is no epoch 0');
  answer(1, 'two');
  expect(await second).toBe('two');
});

test('idle resolves when all is answered', async () => {
  const { client, answer } = pair();
  let idle = false;
  const asked = client.tell('overview', [0]);
  const waiting = client.idle().then(() => {
    idle = true;
  });
  await Promise.resolve();
  expect(idle).toBe(false);
  answer(0, {});
  await asked;
  await waiting;
  expect(idle).toBe(true);
});

test('when the worker is gone, nothing waits for ever', async () => {
  const { client } = pair();
  const first = client.ask('step', 'step', 0, 1);
  const second = client.ask('step', 'step', 0, 2);
  client.abandon(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect(await second).toBe(OVERTAKEN);
  await client.idle();
});
