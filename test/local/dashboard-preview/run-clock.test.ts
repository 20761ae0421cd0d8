import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCompressedClock, type RunClock, startRunClock } from '../../../local/dashboard-preview/run-clock.ts';
import { steady, surge, type Traffic } from '../../../local/dashboard-preview/traffic.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const clockOf = (lengthMs: number, hasTime?: () => boolean): RunClock => {
  const clock = startRunClock(lengthMs, hasTime);
  onTestFinished(clock.stop);
  return clock;
};

/** An act that runs until the test ends it. */
const lastingAct = () => {
  const ends: (() => void)[] = [];
  const act = () => new Promise<void>((resolve) => ends.push(resolve));
  return { act, begun: () => ends.length, endFirst: () => ends.shift()?.() };
};

describe('the clock of a run', () => {
  test('follows real time', async () => {
    const startMs = Date.now();
    const clock = clockOf(100);
    await pass(60);
    expect([0, 30, 60].map((ms) => clock.runMsAt(startMs + ms))).toEqual([0, 30, 60]);
    expect(clock.runMsAt(startMs - 1)).toBe(0);
    expect(clock.isOver()).toBe(false);
    await pass(40);
    expect(clock.isOver()).toBe(true);
  });

  test('stops while given work runs, and continues from the same point', async () => {
    const startMs = Date.now();
    const clock = clockOf(100);
    await pass(20);
    const { act, endFirst } = lastingAct();
    const held = clock.standStillFor(act());
    await pass(500);
    expect(clock.runMsAt(Date.now())).toBe(20);
    endFirst();
    await held;
    await pass(10);
    expect(clock.runMsAt(Date.now())).toBe(30);
    expect(clock.runMsAt(startMs + 15)).toBe(15);
  });

  test('ends when there is no time left, and resolves everything that waits for a later moment', async () => {
    let hasTime = true;
    const clock = clockOf(1000, () => hasTime);
    let acts = 0;
    const traffic = steady(100, async () => acts++)(clock);
    await pass(300);
    hasTime = false;
    await pass(10);
    await traffic;
    expect([clock.isOver(), acts]).toEqual([true, 3]);
  });

  test('does not skip ahead if the process got no time', async () => {
    const clock = clockOf(10_000);
    await pass(20);
    vi.setSystemTime(Date.now() + 3000);
    await pass(5);
    expect(clock.runMsAt(Date.now())).toBe(45);
    expect(clock.stalledShare()).toBeCloseTo(2980 / 3025, 5);
  });

  test('does not count punctual ticks or its own stops as stalled', async () => {
    const clock = clockOf(1000);
    const { act, endFirst } = lastingAct();
    const held = clock.standStillFor(act());
    await pass(500);
    endFirst();
    await held;
    expect(clock.stalledShare()).toBe(0);
  });

  test('wakes each waiter at its time', async () => {
    const clock = clockOf(100);
    const woken: number[] = [];
    for (const runMs of [50, 10]) void clock.until(runMs).then(() => woken.push(runMs));
    await pass(30);
    expect(woken).toEqual([10]);
    await pass(30);
    expect(woken).toEqual([10, 50]);
  });
});

describe('traffic', () => {
  const played = (traffic: Traffic, lengthMs: number) => {
    const clock = clockOf(lengthMs);
    return { clock, ended: traffic(clock) };
  };

  test('that is steady acts once per interval from its onset, without waiting for earlier acts', async () => {
    const { act, begun, endFirst } = lastingAct();
    const { ended } = played(steady(20, act, 0.5), 200);
    await pass(200);
    expect(begun()).toBe(5);
    while (begun() > 0) endFirst();
    await ended;
  });

  test('that is steady stops the run clock while too many acts are running', async () => {
    const { act, begun, endFirst } = lastingAct();
    const { clock } = played(steady(10, act), 1000);
    await pass(5000);
    const mostUnderWay = begun();
    expect(mostUnderWay).toBe(6);
    const stoodAtMs = clock.runMsAt(Date.now());
    expect(stoodAtMs).toBeLessThan(100);
    endFirst();
    await pass(10);
    expect(begun()).toBe(mostUnderWay);
  });

  test('that is steady rethrows the error of an act', async () => {
    const failing = steady(10, async (turn) => {
      if (turn === 0) throw new Error('broken');
    });
    const { ended } = played(failing, 50);
    const refused = expect(ended).rejects.toThrow('broken');
    await pass(100);
    await refused;
  });

  test('that surges keeps the given number of acts running until the run is over', async () => {
    const { act, begun, endFirst } = lastingAct();
    const { ended } = played(surge(7, act, 0.5), 100);
    await pass(45);
    expect(begun()).toBe(0);
    await pass(10);
    expect(begun()).toBe(7);
    endFirst();
    await pass(5);
    expect(begun()).toBe(7);
    await pass(50);
    while (begun() > 0) endFirst();
    await ended;
  });
});

const realStartMs = Date.parse('2036-03-10T12:00:00Z');
const shownStartMs = Date.parse('2036-03-10T09:00:00Z');
const run = { lengthMs: 36_000, runMsAt: (realMs: number) => Math.max(0, realMs - realStartMs) };
const clock = createCompressedClock(run, shownStartMs, 300);

describe('the shown clock', () => {
  test.each([
    [0, '2036-03-10T09:00:00.000Z'],
    [1000, '2036-03-10T09:05:00.000Z'],
    [35_999, '2036-03-10T11:59:59.700Z'],
    [-5000, '2036-03-10T09:00:00.000Z'],
  ])('%i ms into the run are %s', (sinceStartMs, shown) => {
    expect(new Date(clock.shownMs(realStartMs + sinceStartMs)).toISOString()).toBe(shown);
  });

  test('shows work that a slow machine did after the run at the end of the run', () => {
    expect(new Date(clock.shownMs(realStartMs + 50_000)).toISOString()).toBe('2036-03-10T11:59:59.999Z');
  });
});
