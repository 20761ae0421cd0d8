import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../docs/generate/events-document.ts';
import type { InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { maxMessageBytes } from '../../lambdas/api/limits.ts';
import { cleanText } from '../../lambdas/api/schemas/common.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';
import { growthOf, linearGrowth, processorMsOf } from '../support/growth.ts';

const arrivedAtMs = Date.parse(exampleOf('gateway.removed.v1').time);
const read = (text: string) => readEvent('gatewayReports', text, arrivedAtMs);

const textOf = (type: InboundEventType, data: object): string => {
  const example = exampleOf(type);
  return JSON.stringify({ ...example, data: { ...example.data, ...data } });
};

/** Returns a list of equal elements with about that many characters. */
const listOf = (element: unknown, length: number) =>
  Array.from({ length: Math.floor(length / (JSON.stringify(element).length + 1)) }, () => element);

type Message = (length: number) => string;

const described =
  (data: (length: number) => object): Message =>
  (length) =>
    textOf('gateway.described.v1', data(length));

const repeated =
  (before: string, unit: string, after: string): Message =>
  (length) =>
    before + unit.repeat(length / unit.length) + after;

const point = { dayOfWeek: 'friday', time: '06:30', setpoint: 'comfort' };
const harmless: Message = (length) => textOf('time-program.reported.v1', { switchPoints: listOf(point, length) });

const start = textOf('circuit.reported.v1', {}).slice(0, -1);

/** Messages that are as long as allowed and made to cost time. */
const bombs: readonly (readonly [what: string, message: Message])[] = [
  ['a name of spaces', described((length) => ({ name: ' '.repeat(length) }))],
  [
    'a name of spaces, and broken parts of each kind',
    described((length) => ({
      name: ' '.repeat(length),
      limits: { maxSwitchPoints: 'many' },
      components: [{ componentId: 1 }],
      circuits: [{ family: 'dhw' }, { family: 'heating', circuitId: 'a', limits: { levels: [1], heatingCurve: 1 } }],
    })),
  ],
  ['a name of line breaks', described((length) => ({ name: '\n '.repeat(length / 3) }))],
  ['a name of marks on one letter', described((length) => ({ name: `a${'\u0301\u0316'.repeat(length / 4)}` }))],
  ['a name of invisible characters', described((length) => ({ name: '\u200b'.repeat(length / 3) }))],
  ['a time zone of slashes', described((length) => ({ timeZone: `${'A/'.repeat(length / 2)}!` }))],
  ...[{}, 1, '', { family: 'dhw', circuitId: 1 }].map(
    (element) =>
      [`circuits ${JSON.stringify(element)}`, described((length) => ({ circuits: listOf(element, length) }))] as const,
  ),
  ...[{}, 1, '', { componentId: 1, type: 1, model: 1 }].map(
    (element) =>
      [
        `components ${JSON.stringify(element)}`,
        described((length) => ({ components: listOf(element, length) })),
      ] as const,
  ),
  ['features 1', described((length) => ({ features: listOf(1, length) }))],
  [
    'time programs 1 of a circuit',
    described((length) => ({ circuits: [{ family: 'dhw', circuitId: 'a', timeProgramIds: listOf(1, length) }] })),
  ],
  ...[{}, 1, { ...point, time: 1 }].map(
    (element) =>
      [
        `switch points ${JSON.stringify(element)}`,
        (length: number) => textOf('time-program.reported.v1', { switchPoints: listOf(element, length) }),
      ] as const,
  ),
  ...[{}, 1, { name: 1 }, { name: 'a', value: [] }].map(
    (element) =>
      [
        `measurements ${JSON.stringify(element)}`,
        (length: number) => textOf('measurements.reported.v1', { measurements: listOf(element, length) }),
      ] as const,
  ),
  ['a version of digits', (length) => textOf('circuit.reported.v1', { fulfilsVersion: '9'.repeat(length) })],
  [
    'a time of digits',
    (length) => textOf('holiday.reported.v1', { holiday: { from: `2026-11-21T10:16:02.${'0'.repeat(length)}` } }),
  ],
  ['arrays in arrays', (length) => `${start},"x":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`],
  ['objects in objects', (length) => `${start},"x":${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}}`],
  [
    'different unknown properties',
    (length) => `${start},${Array.from({ length: length / 10 }, (_, index) => `"k${index}":1`).join()}}`,
  ],
  ['quotation marks', repeated('{"a":', '"', '')],
  ['escaped quotation marks', repeated('{"a":"', '\\"', '')],
  ['backslashes', repeated('{"a":', '"\\', '')],
  ['missing numbers', repeated('{"a":[', 'NaN,', '1]}')],
  ['missing numbers in a text', repeated(`${start},"x":"`, 'NaN ', '"}')],
];

describe('a message as long as allowed', () => {
  const length = maxMessageBytes - 1500;
  const harmlessMs = processorMsOf(() => read(harmless(length)));

  test.each(bombs)('with %s costs no more than some harmless ones', (_, message) => {
    const text = message(length);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxMessageBytes);
    expect(processorMsOf(() => read(text)) / harmlessMs).toBeLessThan(mostHarmless);
  });
});

/** The dearest message costs some ten harmless ones. */
const mostHarmless = 25;

describe('a long text', () => {
  test.each([' ', '\n', '\n ', '\u200b', ' \u200b', 'a ', '\u0301', '\u0301\u0316', '\ud800'])(
    'of %j is cleaned in a time that is proportional to its length',
    (unit) => {
      const textOf = (length: number) => `a${unit.repeat(length / unit.length)}b`;
      expect(growthOf(cleanText, textOf, 4000)).toBeLessThan(linearGrowth);
    },
  );

  test.each([
    ['x', 'x'],
    [' ', ''],
    ['\n', ''],
    ['\u200b', ''],
    ['a ', 'a a a'],
  ])('of %j keeps its beginning', (unit, beginning) => {
    expect(cleanText(unit.repeat(20_000)).startsWith(beginning)).toBe(true);
  });

  test.each([' ', '\t', '\n \r\n', '\u200b'])('that begins with many %j keeps what follows', (unit) => {
    expect(cleanText(`${unit.repeat(9_000)}Haus`)).toBe('Haus');
  });

  test('has at least 500 characters after it was composed, whatever they consist of', () => {
    for (const letter of ['\u1f82', '\u00fc', '\ud55c', '\u0958'])
      expect(cleanText(letter.normalize('NFD').repeat(2000)).length).toBeGreaterThan(500);
  });
});
