import { CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { parseInsightRule } from '../../src/cloudwatch/contributors/insight-rule-body.ts';
import { parseLogQuery } from '../../src/cloudwatch/logs/log-query.ts';
import { logEventOf } from '../../src/cloudwatch/logs/log-store.ts';
import { cloudWatchOf, first, hour, minutes, templateOf } from './cloudwatch-of.ts';

const events = [
  { minute: 1, decision: 'allowed', companyId: 'a', durationMs: 10, storeMs: { BatchGetItem: [3] }, coldStart: true },
  { minute: 2, decision: 'refused', companyId: 'b', durationMs: 20, reason: 'KeyUnknown', status: 401 },
  {
    minute: 6,
    decision: 'allowed',
    companyId: 'a',
    durationMs: 40,
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

describe('a filter lets through the events that it describes', () => {
  const ids = (condition: string) =>
    rowsOf(`filter ${condition} | sort durationMs asc | display durationMs`).map(Number);
  test.each<[string, readonly number[]]>([
    ['decision = "allowed"', [10, 40]],
    ["decision != 'allowed'", [20, 900]],
    ['status >= 500', [900]],
    ['status < 500', [20]],
    ['durationMs > 10 and durationMs <= 40', [20, 40]],
    ['decision = "failed" or status = 401 and companyId = "a"', [900]],
    ['(decision = "failed" or status = 401) and companyId = "b"', [20]],
    ['not decision = "allowed" and ispresent(decision)', [20, 900]],
    ['not (durationMs < 40) and ispresent(durationMs)', [40, 900]],
    ['ispresent(reason)', [20, 900]],
    ['not ispresent(reason) and ispresent(companyId)', [10, 40]],
    ['reason like /^Key/', [20]],
    ['reason like /(?i)UNKNOWN/', [20]],
    ['error like "out | go"', [900]],
    ['error like /t | g/', [900]],
    ['reason not like /Key/', [900]],
    ['companyId in ["b", "c"]', [20]],
    ['status not in [401, 404]', [900]],
    ['storeMs.BatchGetItem.1 = 9', [40]],
    ['`storeMs.BatchGetItem.0` * 2 = 6', [10]],
    ['durationMs / 10 - 1 = 3', [40]],
    ['ceil(durationMs / 30) = 2 or floor(durationMs / 30) = 30', [40, 900]],
    ['coldStart = 1', [10]],
    ['coldStart = false', [40]],
    ['@message like "Timeout"', [900]],
    ['@log like /:api$/ # a comment\nand durationMs = 10', [10]],
  ])('%s', (condition, expected) => {
    expect(ids(condition)).toEqual(expected);
  });
});

describe('a query answers with its columns', () => {
  test('newest first; its time and message where it names none', () => {
    expect(cloudWatch.queryLogs('limit 2', ['api'], hour)).toEqual({
      columns: ['@timestamp', '@message'],
      rows: [
        ['2026-01-05 12:08:00.000', 'REPORT RequestId: 1 Duration: 5 ms'],
        ['2026-01-05 12:07:00.000', expect.stringContaining('"decision":"failed"')],
      ],
    });
  });

  test('with booleans as numbers', () => {
    expect(rowsOf('filter ispresent(coldStart) | fields coldStart | sort coldStart desc')).toEqual(['1', '0']);
  });

  test('only of the range', () => {
    const { rows } = cloudWatch.queryLogs('fields durationMs', ['api'], { fromMs: minutes(2), toMs: minutes(6) });
    expect(rows).toEqual([['20']]);
  });

  test('of the log groups that it names itself', () => {
    const query = "SOURCE 'other' | SOURCE 'api'\n| fields decision, durationMs / 3 as third\n| sort @timestamp asc";
    expect(cloudWatch.queryLogs(query, [], hour)).toEqual({
      columns: ['decision', 'third'],
      rows: [
        ['allowed', '3.3333'],
        ['refused', '6.6667'],
        ['allowed', '13.3333'],
        ['failed', '300'],
        ['', ''],
        ['other', ''],
      ],
    });
  });

  test('with parts of a text, where it is of the form', () => {
    const query = 'parse @message "REPORT RequestId: * Duration: * *" as id, took, unit | filter ispresent(id)';
    expect(cloudWatch.queryLogs(`${query} | display id, took, unit`, ['api'], hour).rows).toEqual([['1', '5', 'ms']]);
    expect(rowsOf('parse error "* |" as before | filter ispresent(before) | display before')).toEqual(['Timeout']);
  });

  test('with the version of the function that has written a line, by its stream', () => {
    const own = cloudWatchOf(() => undefined);
    const logStream = '2026/01/05/Stack-read[17]3f9a2c1d';
    own.putLogEvent({ logGroup: 'api', logStream, atMs: minutes(1), message: '{}' });
    const query = 'parse @logStream "*[*]*" as streamOf, version, instance | stats count(*) as lines by version';
    expect(own.queryLogs(query, ['api'], hour).rows).toEqual([['17', '1']]);
  });

  test('an alias that hides a field is computed, and display says what is shown', () => {
    const query = 'filter durationMs = 40 | fields durationMs / 10 as durationMs, decision | display durationMs';
    expect(cloudWatch.queryLogs(query, ['api'], hour)).toEqual({ columns: ['durationMs'], rows: [['4']] });
  });

  test('of numbers over groups and times', () => {
    const query = `filter ispresent(durationMs)
      | stats count(*) as requests, pct(durationMs, 99) as p99, 100 * sum(status >= 500) / count(*) as failedPercent
          by bin(5m), decision
      | sort bin(5m) asc, requests desc, decision asc`;
    expect(cloudWatch.queryLogs(query, ['api'], hour)).toEqual({
      columns: ['bin(5m)', 'decision', 'requests', 'p99', 'failedPercent'],
      rows: [
        ['2026-01-05 12:00:00.000', 'allowed', '1', '10', '0'],
        ['2026-01-05 12:00:00.000', 'refused', '1', '20', '0'],
        ['2026-01-05 12:05:00.000', 'allowed', '1', '40', '0'],
        ['2026-01-05 12:05:00.000', 'failed', '1', '900', '100'],
      ],
    });
  });

  test.each([
    ['count(*)', '5'],
    ['count(companyId)', '3'],
    ['count_distinct(companyId)', '2'],
    ['sum(durationMs)', '970'],
    ['avg(durationMs)', '242.5'],
    ['min(durationMs)', '10'],
    ['max(durationMs)', '900'],
    ['pct(durationMs, 50)', '20'],
    ['sum(nothing)', ''],
    ['latest(durationMs)', '900'],
    ['earliest(durationMs)', '10'],
  ])('stats %s', (aggregate, expected) => {
    expect(cloudWatch.queryLogs(`stats ${aggregate}`, ['api'], hour)).toEqual({
      columns: [aggregate],
      rows: [[expected]],
    });
  });
});

test('a line that begins with # is a comment', () => {
  expect(rowsOf('# What failed?\nfilter status = 401\n  # by key\n| fields reason')).toEqual(['KeyUnknown']);
});

test('a query that a template keeps is run as it is written there', () => {
  const template = templateOf((stack) => {
    new QueryDefinition(stack, 'Slow', {
      queryDefinitionName: 'slow',
      queryString: new QueryString({
        fields: ['decision', 'durationMs'],
        filterStatements: ['durationMs > 10', 'durationMs < 100'],
        sort: 'durationMs desc',
        limit: 1,
      }),
    });
  });
  const [saved] = Object.values(template.findResources('AWS::Logs::QueryDefinition'));
  expect(cloudWatch.queryLogs(saved?.Properties.QueryString, ['api'], hour)).toEqual({
    columns: ['decision', 'durationMs'],
    rows: [['allowed', '40']],
  });
});

describe('what is not known of a query is an error, with or without events', () => {
  test.each([
    ['dedup a', 'command dedup'],
    ['parse @message /(?<b>a)/', 'log query'],
    ['parse @message "a*"', 'its end'],
    ['parse @message "a*b*" as c', 'has not one * for each of c'],
    ['fields strlen(a)', 'strlen'],
    ['filter a = 1 and count(a) > 2', 'count(…) outside of stats'],
    ['stats a by b', 'no aggregate'],
    ['fields *', '* outside of count(*)'],
    ['stats bin(5m)', 'no aggregate'],
    ['stats count(*) = 2', '= between aggregates'],
    ['stats count(*) by bin(5 days)', 'log query'],
    ['stats count(*) by bin(5d)', 'length of a bin'],
    ['filter a like b', 'like'],
    ['filter a in "x"', 'in without a list'],
    ['filter a = ', 'its end'],
    ['fields a b', '“b”'],
    ['SOURCE api | fields a', '“api'],
    ['limit many', '“many”'],
  ])('%s', (query, message) => {
    expect(() => parseLogQuery(query)).toThrow(message);
  });

  test('more fields than CloudWatch finds', () => {
    const object = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, index]));
    expect(() => logEventOf({ ...written, logGroup: 'api', message: '' }, object)).toThrow('201 fields');
  });
});

const written = { accountId: '000000000000', atMs: 0 };

const body = (contribution: object, others: object = {}) =>
  JSON.stringify({
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: ['api', 'func*'],
    LogFormat: 'JSON',
    Contribution: contribution,
    AggregateOn: 'Count',
    ...others,
  });

const event = (object: object, logGroup = 'api') =>
  logEventOf({ ...written, logGroup, message: JSON.stringify(object) }, object as Record<string, unknown>);

describe('a Contributor Insights rule matches the events that it describes', () => {
  const object = { a: 'x', b: 'y', n: 5, deep: { list: [{ k: 'z' }] } };
  test.each<[object, string | undefined]>([
    [{ Keys: ['$.a'] }, 'x'],
    [{ Keys: ['$.a', '$.b'] }, 'x, y'],
    [{ Keys: ['$.deep.list[0].k'] }, 'z'],
    [{ Keys: ['$.a', '$.missing'] }, undefined],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.b', In: ['q', 'y'] }] }, 'x'],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.b', NotIn: ['q', 'y'] }] }, undefined],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.b', StartsWith: ['Y', 'y'] }] }, 'x'],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.n', GreaterThan: 5 }] }, undefined],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.n', LessThan: 6 }] }, 'x'],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.n', EqualTo: 5 }] }, 'x'],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.n', NotEqualTo: 5 }] }, undefined],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.c', IsPresent: false }] }, 'x'],
    [{ Keys: ['$.a'], Filters: [{ Match: '$.c', IsPresent: true }] }, undefined],
    [
      {
        Keys: ['$.a'],
        Filters: [
          { Match: '$.n', EqualTo: 5 },
          { Match: '$.b', In: ['no'] },
        ],
      },
      undefined,
    ],
  ])('%j', (contribution, expected) => {
    expect(parseInsightRule('rule', body(contribution))(event(object))?.label).toBe(expected);
  });

  test.each([
    ['api', true],
    ['functions', true],
    ['apis', false],
  ])('in the log group %s: %s', (logGroup, expected) => {
    const match = parseInsightRule('rule', body({ Keys: ['$.a'] }))(event(object, logGroup));
    expect(match !== undefined).toBe(expected);
  });

  test('by the value of a field, if the event has it', () => {
    const rule = parseInsightRule('rule', body({ Keys: ['$.a'], ValueOf: '$.n' }, { AggregateOn: 'Sum' }));
    expect([rule(event(object))?.value, rule(event({ a: 'x' }))]).toEqual([5, undefined]);
  });

  test.each([
    [body({ Keys: ['$.a'] }, { LogFormat: 'CLF' }), 'CLF'],
    [body({ Keys: ['$.a'] }, { LogGroupARNs: [] }), 'LogGroupARNs'],
    [body({ Keys: ['a'] }), 'path a'],
    [body({ Keys: ['$.a'], Filters: [{ Match: '$.b', EndsWith: ['x'] }] }), 'EndsWith'],
    [body({ Keys: ['$.a'], Filters: [{ Match: '$.b' }] }), 'one condition'],
    [body({ Keys: ['$.a'] }, { AggregateOn: 'Sum' }), 'ValueOf'],
  ])('%s is an error', (text, message) => {
    expect(() => parseInsightRule('rule', text)).toThrow(message);
  });

  test('a rule that is switched off is an error', () => {
    const build = () =>
      cloudWatchOf((stack) => {
        const properties = { ruleName: 'r', ruleState: 'DISABLED', ruleBody: body({ Keys: ['$.a'] }) };
        new CfnInsightRule(stack, 'R', properties);
      });
    expect(build).toThrow('DISABLED');
  });
});

test('an event in embedded metric format is kept as an event and counted as a metric at the time of the run', () => {
  const run = withEvents();
  const directive = { Namespace: 'N', Dimensions: [[]], Metrics: [{ Name: 'Requests' }] };
  const message = { _aws: { Timestamp: 1, CloudWatchMetrics: [directive] }, Requests: 'one' };
  expect(() => run.putLogEvent({ logGroup: 'api', atMs: minutes(1), message: JSON.stringify(message) })).toThrow(
    'Requests',
  );
  run.putLogEvent({ logGroup: 'api', atMs: minutes(1), message: JSON.stringify({ ...message, Requests: 1 }) });
  expect(first(run.queryLogs('filter Requests = 1 | display @timestamp', ['api'], hour).rows)).toEqual([
    '2026-01-05 12:01:00.000',
  ]);
});
