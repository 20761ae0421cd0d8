import { describe, expect, test } from 'vitest';
import type { AlarmState } from '../../../local/aws/cloudwatch/alarms/alarm-state.ts';
import type { AlarmView } from '../../../local/aws/cloudwatch/alarms/alarm-view.ts';
import { alarmsThatRang, alarmsThatRing, expectationOf } from '../../../local/rehearsal/expected-alarms.ts';

const alarm = (name: string, ...states: AlarmState[]): AlarmView => ({
  ...{ logicalId: name, name, kind: 'metric', description: '', state: states.at(-1) ?? 'OK' },
  transitions: states.map((state, index) => ({ atMs: index, state, reason: '' })),
});

test('an alarm has rung also when it is over', () => {
  const alarms = [alarm('over', 'ALARM', 'OK'), alarm('on', 'OK', 'ALARM'), alarm('never', 'INSUFFICIENT_DATA', 'OK')];
  expect(alarmsThatRang(alarms).map(({ name }) => name)).toEqual(['over', 'on']);
  expect(alarmsThatRing(alarms).map(({ name }) => name)).toEqual(['on']);
});

describe('a scenario is as expected', () => {
  test.each([
    ['where none should ring and none did', [], [], true],
    ['not where none should ring and one did', [], ['latency'], false],
    ['where others rang too', ['latency'], ['latency', 'page'], true],
    ['not where one is missing', ['latency', 'page'], ['latency'], false],
  ])('%s', (_, rings, rang, holds) => {
    expect(expectationOf({ rings }, rang, rang).holds).toBe(holds);
  });

  test('where one is over whose cause is, and not where that one still rings', () => {
    const scenario = { rings: ['latency', 'page'], clears: ['latency'] };
    expect(expectationOf(scenario, scenario.rings, ['page']).holds).toBe(true);
    expect(expectationOf(scenario, scenario.rings, ['latency', 'page'])).toEqual({
      holds: false,
      sentence: 'Still ringing, though the cause is gone: latency.',
    });
  });
});
