import { CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, test } from 'vitest';
import { parseRuleBody } from '../../src/cloudwatch/insight-rules.ts';
import { parseLogQuery } from '../../src/cloudwatch/log-query.ts';
import { logEventOf } from '../../src/cloudwatch/log-store.ts';
import { cloudWatchOf, first, hour, minutes } from './cloudwatch-of.ts';

const events = [
  { minute: 1, decision: 'allowed', companyId: 'a', durationMs: 10, storeMs: { BatchGetItem: [3] }, coldStart: true },
  { minute: 2, decision: 'refused', companyId: 'b', durationMs: 20, reason: 'KeyUnknown', status: 401 },
  {
    minute: 6,
    decision: 'allowed',
    companyId: 'a',
    durationMs: 40,
    operation: 'getContract',
    storeMs: { BatchGetItem: [5, 9] },
    coldStart: false,
  },
  { minute: 7, decision: 'failed', durationMs: 900, reason: 'Internal', status: 500, error: 'Timeout | gone' },
];

const withEvents = () => {
  const cloudWatch = cloudWatchOf(() => undefined);
  for (const { minute, ...event } of events)
    cloudWatch.putLogEvent({ logGroup: 'api', atMs: minutes(minute), message: JSON.stringify(event) });
  cloudWatch.putLogEvent({ logGroup: 'api', atMs: minutes(8), message: 'REPORT RequestId: 1 Duration: 5 ms' });
  cloudWatch.putLogEvent({ logGroup: 'other', atMs: minutes(9), message: '{"decision":"other"}' });
  return cloudWatch;
};

const cloudWatch = withEvents();
const rowsOf = (query: string) => cloudWatch.queryLogs(query, ['api'], hour).rows.map((row) => row.join(' '));

describe('a filter selects the events that match it', () => {
  const ids = (condition: string) => rowsOf(`filter ${condition} | fields durationMs`).map(Number);
  test.each<[string, readonly number[]]>([
    ['decision = "allowed"', [40, 10]],
    ['decision != "allowed"', [900, 20]],
    ['status = 401', [20]],
    ['durationMs > 20', [900, 40]],
    ['durationMs > 10 and companyId = "a"', [40]],
    ['ispresent(reason)', [900, 20]],
    ['operation like /^(a|b|get.*)$/', [40]],
    ['decision not like /^(allowed|limited)$/', [900, 20]],
    ['companyId in ["b", "c"]', [20]],
    ['status not in [401, 404]', [900]],
    ['storeMs.BatchGetItem.1 = 9', [40]],
    ['coldStart = 1', [10]],
    ['@message like /Timeout/', [900]],
  ])('%s', (condition, expected) => {
    expect(ids(condition)).toEqual(expected);
  });
});

describe('a query returns its columns', () => {
  test('newest first; time and message if it names no columns', () => {
    expect(cloudWatch.queryLogs('limit 2', ['api'], hour)).toEqual({
      columns: ['@timestamp', '@message'],
      rows: [
        ['2026-01-05 12:08:00.000', 'REPORT RequestId: 1 Duration: 5 ms'],
        ['2026-01-05 12:07:00.000', expect.stringContaining('"decision":"failed"')],
      ],
    });
  });

  test('with booleans as numbers', () => {
    expect(rowsOf('filter ispresent(coldStart) | sort coldStart desc | fields coldStart')).toEqual(['1', '0']);
  });

  test('only of its time range', () => {
    const { rows } = cloudWatch.queryLogs('fields durationMs', ['api'], { fromMs: minutes(2), toMs: minutes(6) });
    expect(rows).toEqual([['20']]);
  });

  test('of the log groups that it names itself, rows without a value last', () => {
    const query = "SOURCE 'other' | SOURCE 'api'\n| fields decision, durationMs\n| sort durationMs desc";
    expect(cloudWatch.queryLogs(query, [], hour)).toEqual({
      columns: ['decision', 'durationMs'],
      rows: [
        ['failed', '900'],
        ['allowed', '40'],
        ['refused', '20'],
        ['allowed', '10'],
        ['other', ''],
        ['', ''],
      ],
    });
  });

  test('with the version of the function that wrote a line, from its stream', () => {
    const own = cloudWatchOf(() => undefined);
    const logStream = '2026/01/05/Stack-read[17]3f9a2c1d';
    own.putLogEvent({ logGroup: 'api', logStream, atMs: minutes(1), message: '{}' });
    const query = 'parse @logStream "*[*]*" as streamOf, version, instance | stats count(*) as lines by version';
    expect(own.queryLogs(query, ['api'], hour).rows).toEqual([['17', '1']]);
    const parts = 'parse @logStream "*[*]*" as streamOf, version, instance';
    expect(own.queryLogs(parts, ['api'], hour).rows).toEqual([['2026/01/05/Stack-read', '17', '3f9a2c1d']]);
  });

  test('of aggregates over groups and times', () => {
    const query = `filter ispresent(durationMs)
      | stats count(*) as requests, pct(durationMs, 99) as p99 by bin(5m), decision
      | sort p99 desc`;
    expect(cloudWatch.queryLogs(query, ['api'], hour)).toEqual({
      columns: ['bin(5m)', 'decision', 'requests', 'p99'],
      rows: [
        ['2026-01-05 12:05:00.000', 'failed', '1', '900'],
        ['2026-01-05 12:05:00.000', 'allowed', '1', '40'],
        ['2026-01-05 12:00:00.000', 'refused', '1', '20'],
        ['2026-01-05 12:00:00.000', 'allowed', '1', '10'],
      ],
    });
  });

  test.each([
    ['count(*)', '5'],
    ['count(companyId)', '3'],
    ['count_distinct(companyId)', '2'],
    ['max(durationMs)', '900'],
    ['max(nothing)', ''],
    ['pct(durationMs, 50)', '20'],
    ['latest(durationMs)', '900'],
    ['earliest(@timestamp)', '2026-01-05 12:01:00.000'],
  ])('stats %s', (aggregate, expected) => {
    expect(cloudWatch.queryLogs(`stats ${aggregate} as found`, ['api'], hour)).toEqual({
      columns: ['found'],
      rows: [[expected]],
    });
  });
});

test('a line that starts with # is a comment', () => {
  expect(rowsOf('# What failed?\nfilter status = 401\n  # by key\n| fields reason')).toEqual(['KeyUnknown']);
});

test.each([
  ['dedup a', 'dedup a'],
  ['display a', 'display a'],
  ['SOURCE api', 'SOURCE api'],
  ['limit many', 'limit many'],
  ['fields a as b', 'a as b'],
  ['fields strlen(a)', 'strlen(a)'],
  ['fields @log', '@log'],
  ['filter a = 1 or b = 2', 'a = 1 or b = 2'],
  ['filter a < 2', 'a < 2'],
  ['filter not a = 1', 'not a = 1'],
  ['filter a = b', 'a = b'],
  ['filter strlen(a) = 1', 'strlen(a)'],
  ['filter a in "x"', 'a in "x"'],
  ['filter a in [b]', 'a in [b]'],
  ['filter a like "x"', 'a like "x"'],
  ['filter a not like "x"', 'a not like "x"'],
  ['parse @message /(?<b>a)/', 'parse @message /(?<b>a)/'],
  ['parse @message "a*b*" as c', 'parse @message "a*b*" as c'],
  ['sort a asc', 'sort a asc'],
  ['sort a, b desc', 'sort a, b desc'],
  ['stats count(*)', 'count(*)'],
  ['stats sum(a) as b', 'sum(a) as b'],
  ['stats pct(a) as b', 'pct(a) as b'],
  ['stats max(a, 5) as b', 'max(a, 5) as b'],
  ['stats max(a) / 5 as b', 'max(a) / 5 as b'],
  ['stats count(*) as b by bin(1h)', 'bin(1h)'],
  ['stats count(*) as b by c by d', 'stats count(*) as b by c by d'],
])('“%s” is an error that names the unknown part', (query, unknown) => {
  expect(() => parseLogQuery(`filter x = 1 | ${query}`)).toThrow(`not understand this in a log query: ${unknown}`);
});

test('an event with more fields than CloudWatch finds is an error', () => {
  const object = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, index]));
  expect(() => logEventOf({ logGroup: 'api', atMs: 0, message: '' }, object)).toThrow('201 fields');
});

const body = (contribution: object, others: object = {}) =>
  JSON.stringify({
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: ['api'],
    LogFormat: 'JSON',
    Contribution: { Keys: ['$.a'], Filters: [], ...contribution },
    AggregateOn: 'Count',
    ...others,
  });

describe('a Contributor Insights rule counts the events that match it', () => {
  const event = (object: Record<string, unknown>, logGroup = 'api') =>
    logEventOf({ atMs: 0, logGroup, message: JSON.stringify(object) }, object);
  test.each<[object, string | undefined]>([
    [{}, 'x'],
    [{ Keys: ['$.missing'] }, undefined],
    [{ Filters: [{ Match: '$.b', In: ['q', 'y'] }] }, 'x'],
    [{ Filters: [{ Match: '$.b', In: ['q'] }] }, undefined],
    [
      {
        Filters: [
          { Match: '$.b', In: ['y'] },
          { Match: '$.c', In: ['y'] },
        ],
      },
      undefined,
    ],
  ])('%j', (contribution, expected) => {
    expect(parseRuleBody('rule', body(contribution))(event({ a: 'x', b: 'y' }))).toBe(expected);
    expect(parseRuleBody('rule', body(contribution))(event({ a: 'x', b: 'y' }, 'other'))).toBeUndefined();
  });

  test.each([
    [body({}, { LogFormat: 'CLF' }), 'CLF'],
    [body({}, { LogGroupARNs: [] }), 'LogGroupARNs'],
    [body({}, { LogGroupNames: ['func*'] }), 'func*'],
    [body({}, { AggregateOn: 'Sum' }), 'Sum'],
    [body({ ValueOf: '$.n' }), 'ValueOf'],
    [body({ Keys: ['$.a', '$.b'] }), '$.b'],
    [body({ Keys: ['$.a[0]'] }), 'path $.a[0]'],
    [body({ Filters: [{ Match: '$.b', StartsWith: ['x'] }] }), 'StartsWith'],
  ])('%s is an error', (text, message) => {
    expect(() => parseRuleBody('rule', text)).toThrow(message);
  });

  test('a disabled rule is an error', () => {
    const build = () =>
      cloudWatchOf((stack) => {
        new CfnInsightRule(stack, 'R', { ruleName: 'r', ruleState: 'DISABLED', ruleBody: body({}) });
      });
    expect(build).toThrow('DISABLED');
  });
});

test('an event in embedded metric format is stored as an event, and as a metric at the run’s time', () => {
  const run = withEvents();
  const directive = { Namespace: 'N', Dimensions: [[]], Metrics: [{ Name: 'Requests' }] };
  const message = { _aws: { Timestamp: 1, CloudWatchMetrics: [directive] }, Requests: 'one' };
  expect(() => run.putLogEvent({ logGroup: 'api', atMs: minutes(1), message: JSON.stringify(message) })).toThrow(
    'Requests',
  );
  run.putLogEvent({ logGroup: 'api', atMs: minutes(1), message: JSON.stringify({ ...message, Requests: 1 }) });
  expect(first(run.queryLogs('filter Requests = 1 | fields @timestamp', ['api'], hour).rows)).toEqual([
    '2026-01-05 12:01:00.000',
  ]);
});
