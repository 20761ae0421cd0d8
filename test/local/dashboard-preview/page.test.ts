import type { AlarmView, Series, WidgetView } from 'serve-stack/cloudwatch';
import { describe, expect, test } from 'vitest';
import { legendFor } from '../../../local/dashboard-preview/drawing/legend.ts';
import { onSameTimes, withGaps } from '../../../local/dashboard-preview/drawing/line-points.ts';
import { pageHtml } from '../../../local/dashboard-preview/drawing/page.ts';

const minuteMs = 60_000;
const fromMs = Date.parse('2036-03-10T09:00:00Z');
const range = { fromMs, toMs: fromMs + 180 * minuteMs };

const place = { x: 0, y: 0, width: 8, height: 6 };
const series = (label: string, values: Readonly<Record<number, number>>): Series => ({
  label,
  points: Object.entries(values).map(([minute, value]) => [fromMs + Number(minute) * minuteMs, value]),
});
const alarm = (parts: Partial<AlarmView> = {}): AlarmView => ({
  logicalId: 'A',
  name: 'latency',
  kind: 'metric',
  description: '**Symptom:** slow',
  state: 'OK',
  transitions: [],
  ...parts,
});
const chart = (parts: Partial<Extract<WidgetView, { kind: 'timeSeries' }>>): WidgetView => ({
  kind: 'timeSeries',
  title: 'Chart',
  isStacked: false,
  series: [],
  thresholds: [],
  ...place,
  ...parts,
});

const draw = (widgets: readonly WidgetView[], alarms: readonly AlarmView[] = []) =>
  pageHtml({
    range,
    seconds: 36,
    compression: 300,
    alarms,
    dashboards: [{ name: 'on-call', widgets }],
    scenario: { name: 'healthy', description: 'All is well.' },
  });

/** Returns the text of the page. */
const textOf = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replace(/\s+/g, ' ')
    .trim();

describe('every kind of widget shows its data', () => {
  test.each<[string, WidgetView, string[]]>([
    ['text', { kind: 'text', title: '', markdown: '## Look\n- **here**', ...place }, ['Look', 'here']],
    ['alarms', { kind: 'alarms', title: 'Alarms', alarms: [alarm()], ...place }, ['latency', 'ok']],
    ['chart', chart({ series: [series('p99', { 0: 1, 1: 2 })] }), ['p99', '09:00', '12:00']],
    [
      'number',
      { kind: 'singleValue', title: 'Keys', values: [{ label: 'days', value: 183 }], ...place },
      ['183', 'days'],
    ],
    [
      'table',
      { kind: 'table', title: 'Last', columns: ['path'], rows: [['/contract']], ...place },
      ['path', '/contract'],
    ],
  ])('%s', (_, widget, texts) => {
    const text = textOf(draw([widget]));
    for (const each of texts) expect(text).toContain(each);
  });

  test('contributors: label, start, end and sum', () => {
    const contributors = [
      { ...series('globex', { 70: 0, 75: 14, 180: 15 }), sum: 29 },
      { ...series('acme', { 5: 1 }), sum: 1 },
    ];
    const text = textOf(draw([{ kind: 'contributors', title: 'Throttled', contributors, ...place }]));
    expect(text).toContain('globex 10:15 now 29');
    expect(text).toContain('acme 09:05 09:05 1');
  });
});

describe('a widget without data says so', () => {
  test.each<[string, WidgetView]>([
    ['alarms', { kind: 'alarms', title: 'T', alarms: [], ...place }],
    ['chart', chart({ series: [series('p99', {})] })],
    ['number', { kind: 'singleValue', title: 'T', values: [{ label: 'days' }], ...place }],
    ['contributors', { kind: 'contributors', title: 'T', contributors: [], ...place }],
    ['table', { kind: 'table', title: 'T', columns: ['a'], rows: [], ...place }],
  ])('%s', (_, widget) => {
    expect(draw([widget])).toContain('<p class="no-data">no data</p>');
  });

  test('a chart with many lines counts those without data instead of naming them', () => {
    const silent = ['a', 'b', 'c'].map((label) => series(label, {}));
    const text = textOf(draw([chart({ series: [series('p99', { 0: 1 }), ...silent] })]));
    expect(text).toContain('no data: 3 others');
  });
});

describe('text from logs, labels and descriptions', () => {
  const hostile = `<script>alert(1)</script><img src=x onerror="alert(1)">'"&`;

  test('is escaped everywhere', () => {
    const line = series(hostile, { 0: 1, 1: 2 });
    const html = draw(
      [
        chart({ title: hostile, series: [line], thresholds: [{ label: hostile, value: 1 }] }),
        { kind: 'contributors', title: hostile, contributors: [{ ...line, sum: 3 }], ...place },
        { kind: 'table', title: hostile, columns: [hostile], rows: [[hostile]], ...place },
        { kind: 'singleValue', title: hostile, values: [{ label: hostile, value: 1 }], ...place },
        { kind: 'text', title: hostile, markdown: `${hostile}\n\n[x](javascript:alert(1)) ![${hostile}](x)`, ...place },
        { kind: 'alarms', title: hostile, alarms: [alarm({ name: hostile })], ...place },
      ],
      [alarm({ name: hostile, description: hostile })],
    );
    expect(html).not.toMatch(/<(script|img)/i);
    expect(html.replace(/="[^"]*"/g, '')).not.toMatch(/<[^>]*\sonerror/i);
    expect(html).not.toMatch(/href="javascript:/i);
  });

  test('is rejected as a colour', () => {
    expect(() => draw([chart({ series: [{ ...series('p99', { 0: 1 }), color: 'red"><script>' }] })])).toThrow(
      /#rrggbb/,
    );
    const thresholds = [{ label: 'objective', value: 1, color: 'red"><script>' }];
    expect(() => draw([chart({ series: [series('p99', { 0: 1 })], thresholds })])).toThrow(/#rrggbb/);
  });
});

test('the page loads nothing: its policy forbids it, and only links have URLs', () => {
  const html = draw([
    { kind: 'text', title: '', markdown: '[runbook](https://example.com/r) ![x](https://example.com/x.png)', ...place },
    chart({ series: [series('p99', { 0: 1, 1: 2 })] }),
  ]);
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  const away = [...html.matchAll(/<(\w+)[^>]*\s(?:src|href|xlink:href)="(?:https?:)?\/\/[^"]*"/g)].map(
    ([, tag]) => tag,
  );
  expect(away).toEqual(['a']);
  expect(html).not.toMatch(/@import|url\((?!#)/);
});

test('the page states the scenario, the shown and the real time, and their ratio', () => {
  expect(textOf(draw([]))).toContain(
    'healthy All is well. 2036-03-10 09:00 – 12:00 UTC 36 s of a local run: one second is shown as 5 minutes.',
  );
});

test('alarms that ring come first, with their start', () => {
  const transitions = [{ atMs: fromMs + 65 * minuteMs, state: 'ALARM' as const, reason: 'slow' }];
  const ringing = alarm({ name: 'concurrency', state: 'ALARM', transitions, lastValue: 212.34 });
  expect(textOf(draw([], [alarm(), ringing]))).toContain(
    'what it means in alarm 10:05 concurrency 212 Symptom: slow ok –',
  );
});

describe('thresholds', () => {
  const lines = [series('p99', { 0: 100, 1: 200 })];

  test('near the values are drawn', () => {
    expect(textOf(draw([chart({ series: lines, thresholds: [{ label: 'objective', value: 500 }] })]))).toMatch(
      /objective(?! \()/,
    );
  });

  test('far above the values appear only in the legend, so that they do not flatten the lines', () => {
    const text = textOf(draw([chart({ series: lines, thresholds: [{ label: 'quota', value: 5000 }] })]));
    expect(text).toContain('quota (at 5,000, above the scale)');
  });
});

describe('legends', () => {
  const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ label: `reason-number-${index}` }));

  test('with few names are below the chart, with many to its right; no name is cut', () => {
    const size = { widthPx: 490, heightPx: 290 };
    expect(legendFor(entries(6), size).side).toBe('below');
    const many = legendFor(entries(17), size);
    expect(many.side).toBe('beside');
    for (const { label } of entries(17)) expect(many.html).toContain(`${label}</li>`);
  });
});

describe('lines', () => {
  test('break where points are missing; a single point is a dot', () => {
    const { points } = series('x', { 0: 1, 1: 1, 2: 1, 9: 4 });
    expect(withGaps(points).map(({ value, symbol }) => [(value[0] - fromMs) / minuteMs, value[1], symbol])).toEqual([
      ...[[0, 1, 'none'] as const, [1, 1, 'none'] as const, [2, 1, 'none'] as const],
      ...[[3, null, 'none'] as const, [9, 4, 'circle'] as const],
    ]);
  });

  test('that are stacked have points at the same times, from the start of the range', () => {
    const stacked = onSameTimes([series('a', { 2: 5, 3: 5 }), series('b', { 4: 7 })], range);
    expect(stacked.map(({ points }) => points.map(([, value]) => value))).toEqual([
      [0, 0, 5, 5, 0],
      [0, 0, 0, 0, 7],
    ]);
  });
});
