import { describe, expect, test } from 'vitest';
import { keyAction } from './keys.js';
import { moved } from './motion.js';
import * as states from './state.js';

const bounds = { t0: 0, t1: 100e9 };
const open = states.opened(bounds, null);
const stall = { kind: 'stall', index: 3, t0: 36e9, t1: 37.5e9 } as const;

describe('going and coming back', () => {
  test('selecting a stall zooms to it, Esc leads back', () => {
    const there = states.select(open, stall, 'zoom');
    expect(there.selection).toBe(stall);
    expect(there.range.t0).toBeLessThan(stall.t0);
    expect(there.range.t1 - there.range.t0).toBeCloseTo(6e9);
    const back = states.back(there);
    expect(back.range).toEqual(bounds);
    expect(back.selection).toBeNull();
  });

  test('movements under the hand are not remembered', () => {
    const moved = states.pan(states.zoom(open, 50e9, 0.1), 5e9);
    expect(moved.past).toHaveLength(0);
  });

  test('a table closes before the range goes back', () => {
    const there = { ...states.select(open, stall, 'zoom'), table: 'loop' as const };
    expect(states.back(there).table).toBeNull();
    expect(states.back(there).range).toEqual(there.range);
  });

  test('with nowhere to go back to, the selection is dropped', () => {
    const selected = { ...open, selection: stall };
    expect(states.back(selected).selection).toBeNull();
  });

  test('what was looked at is not kept without end', () => {
    let view = open;
    for (let i = 0; i < 500; i += 1) view = states.show(view, { t0: i * 1e6, t1: i * 1e6 + 1e9 });
    expect(view.past.length).toBeLessThan(100);
  });
});

test('fit takes the selection, whole takes all', () => {
  const selected = { ...open, selection: { kind: 'range', t0: 10e9, t1: 20e9 } as const };
  expect(states.fit(selected).range).toEqual({ t0: 10e9, t1: 20e9 });
  expect(states.whole(states.fit(selected)).range).toEqual(bounds);
  expect(states.fit(open)).toBe(open);
});

test('another epoch keeps the tab and the orders, not the range', () => {
  const before = { ...states.select(open, stall, 'zoom'), tab: 'steps', laneOrder: 'arrival' } as const;
  const after = states.opened({ t0: 0, t1: 7e9 }, before);
  expect(after).toMatchObject({
    tab: 'steps',
    laneOrder: 'arrival',
    selection: null,
    range: { t0: 0, t1: 7e9 },
  });
});

describe('keys', () => {
  const press = (key: string, more = {}) =>
    keyAction({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

  test('mean the same with Shift or Caps Lock, nothing with Ctrl', () => {
    expect(press('w')).toBe('closer');
    expect(press('W')).toBe('closer');
    expect(press('w', { ctrlKey: true })).toBeNull();
    expect(press('?')).toBe('keys');
    expect(press('x')).toBeNull();
  });

  test('held keys move by the time that has passed, however it is cut', () => {
    const start = states.zoom(open, 50e9, 0.1);
    const once = moved(start, ['right', 'closer'], 0.1);
    let often = start;
    for (let i = 0; i < 10; i += 1) often = moved(often, ['closer'], 0.01);
    expect(often.range.t0).toBeCloseTo(moved(start, ['closer'], 0.1).range.t0, -3);
    expect(once.range.t0).toBeGreaterThan(start.range.t0);
  });
});
