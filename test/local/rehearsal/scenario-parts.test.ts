import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AlarmState } from '../../../local/aws/cloudwatch/alarms/alarm-state.ts';
import type { AlarmView } from '../../../local/aws/cloudwatch/alarms/alarm-view.ts';
import { alarmsThatRang, expectationOf } from '../../../local/rehearsal/expected-alarms.ts';
import { steady, surge } from '../../../local/rehearsal/traffic/load-shapes.ts';

const alarm = (name: string, ...states: AlarmState[]): AlarmView => ({
  ...{ logicalId: name, name, kind: 'metric', description: '', state: states.at(-1) ?? 'OK' },
  transitions: states.map((state, index) => ({ atMs: index, state, reason: '' })),
});

test('an alarm has rung also when it is over', () => {
  const alarms = [alarm('over', 'ALARM', 'OK'), alarm('on', 'OK', 'ALARM'), alarm('never', 'INSUFFICIENT_DATA', 'OK')];
  expect(alarmsThatRang(alarms).map(({ name }) => name)).toEqual(['over', 'on']);
});

describe('a scenario is as expected', () => {
  test.each([
    ['where none should ring and none did', [], [], true],
    ['not where none should ring and one did', [], ['latency'], false],
    ['where others rang too', ['latency'], ['latency', 'page'], true],
    ['not where one is missing', ['latency', 'page'], ['latency'], false],
  ])('%s', (_, rings, rang, holds) => {
    expect(expectationOf({ rings }, rang).holds).toBe(holds);
  });
});

describe('traffic', () => {
  const spanOf = (lengthMs: number) => ({ startMs: Date.now(), endMs: Date.now() + lengthMs });

  test('steady acts once per interval from its onset on, and waits for no act', async () => {
    const turns: number[] = [];
    const traffic = steady(10, async (turn) => void turns.push(turn), 0.5);
    await traffic(spanOf(200));
    expect(turns).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('steady throws what an act has thrown, after all have ended', async () => {
    const failing = steady(10, async (turn) => {
      if (turn === 0) throw new Error('broken');
    });
    await expect(failing(spanOf(50))).rejects.toThrow('broken');
  });

  test('a surge keeps so many under way at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let underWay = 0;
    const seen: number[] = [];
    const flood = surge(7, async () => {
      seen.push(++underWay);
      await new Promise(setImmediate);
      vi.setSystemTime(Date.now() + 1);
      underWay--;
    });
    await flood(spanOf(60));
    expect(Math.max(...seen)).toBe(7);
    // The clock moves on with each act: 60 end within the span, and those under way then end behind it.
    expect(seen.length).toBeGreaterThanOrEqual(60);
  });
});
