import type { AlarmState, AlarmView } from 'serve-stack/cloudwatch';
import { describe, expect, test } from 'vitest';
import {
  alarmsThatRang,
  alarmsThatRing,
  expectationOf,
  forecastOf,
} from '../../../local/dashboard-preview/run-scenario.ts';
import { readOptions } from '../../../local/dashboard-preview/scenarios.ts';

const alarm = (name: string, ...states: AlarmState[]): AlarmView => ({
  logicalId: name,
  name,
  kind: 'metric',
  description: '',
  state: states.at(-1) ?? 'OK',
  transitions: states.map((state, index) => ({ atMs: index, state, reason: '' })),
});

test('an alarm that has cleared counts as having rung', () => {
  const alarms = [alarm('over', 'ALARM', 'OK'), alarm('on', 'OK', 'ALARM'), alarm('never', 'INSUFFICIENT_DATA', 'OK')];
  expect(alarmsThatRang(alarms).map(({ name }) => name)).toEqual(['over', 'on']);
  expect(alarmsThatRing(alarms).map(({ name }) => name)).toEqual(['on']);
});

describe('the forecast before a run describes the machine as', () => {
  const busy = ' The machine is too busy to judge latency: the alarms latency and page may ring for this reason alone.';

  test.each([
    ['idle', 1.01, 0, 'A second of load takes this machine 1.0 s: the run will take about 37 s.'],
    ['behind', 4.3, 0.05, `A second of load takes this machine 4.3 s: the run will take about 155 s.${busy}`],
    ['stalled', 1.2, 0.42, `A second of load takes this machine 1.2 s: the run will take about 44 s.${busy}`],
    ['faster than the load', 0.9, 0, 'A second of load takes this machine 0.9 s: the run will take about 36 s.'],
  ])('how long it will take, and what it cannot judge: %s', (_, secondsForOne, stalledShare, sentence) => {
    expect(forecastOf({ secondsForOne, stalledShare }, 36)).toBe(sentence);
  });
});

describe('a scenario is as expected', () => {
  test.each([
    ['where none should ring and none did', [], [], true],
    ['not where none should ring and one did', [], ['latency'], false],
    ['where others rang too', ['latency'], ['latency', 'page'], true],
    ['not where one is missing', ['latency', 'page'], ['latency'], false],
  ])('%s', (_, rings, rang, holds) => {
    expect(expectationOf({ rings }, rang, rang, 0).holds).toBe(holds);
  });

  test('if an alarm has cleared with its cause, but not if it still rings', () => {
    const scenario = { rings: ['latency', 'page'], clears: ['latency'] };
    expect(expectationOf(scenario, scenario.rings, ['page'], 0).holds).toBe(true);
    expect(expectationOf(scenario, scenario.rings, ['latency', 'page'], 0)).toEqual({
      holds: false,
      sentence: 'Still ringing, though the cause is gone: latency.',
    });
  });

  test.each([
    ['not blamed on an idle machine', 0.02, 'None should have rung.'],
    [
      'not blamed on the service if the machine was busy',
      0.62,
      'None should have rung. But this machine is too busy to judge latency: it stalled the run for 62 % of its time. Run it again when the machine is idle.',
    ],
  ])('an alarm that should not have rung is %s', (_, stalledShare, sentence) => {
    expect(expectationOf({ rings: [] }, ['latency'], [], stalledShare)).toEqual({ holds: false, sentence });
  });

  test('also on a busy machine', () => {
    expect(expectationOf({ rings: [] }, [], [], 0.62)).toEqual({ holds: true, sentence: 'As expected.' });
  });
});

test('plays the healthy scenario for three shown hours on any free port by default', () => {
  expect(readOptions([])).toEqual({ name: 'healthy', seconds: 36, port: 0 });
});

test.each([
  ['an unknown option', ['--scenari', 'x'], /^Unknown option '--scenari'\. Options: .*\.$/],
  [
    'no scenario',
    ['--scenario', 'toString'],
    /^--scenario toString is unknown; the scenarios are healthy, .*silence\.$/,
  ],
  ['too short a run', ['--seconds', '5'], /^--seconds 5 is invalid; write a whole number from 6 to 600\.$/],
  ['no port', ['--port', '65536'], /^--port 65536 is not a port; write a number from 0 .* to 65535\.$/],
])('%s is refused with what to write instead', (_, args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});
