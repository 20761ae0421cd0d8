import { EventEmitter } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, ServedStack, TelemetryEmitter } from 'serve-stack';
import { createResolver, defaultEnvironment, type Resource, type Stack } from 'serve-stack/template';
import { describe, expect, test, vi } from 'vitest';
import { createCompressedClock } from '../../../local/dashboard-preview/run-clock.ts';
import { publishTelemetry } from '../../../local/dashboard-preview/telemetry-publisher.ts';
import {
  createFunctionMetrics,
  gatewayMetrics,
  storeMetrics,
} from '../../../local/dashboard-preview/vended-metrics.ts';
import { temporaryDirectory } from '../main-run.ts';

type Sink = Parameters<typeof publishTelemetry>[2];

const startMs = Date.parse('2036-03-10T12:00:00Z');

const exchangeOf = (parts: Partial<Omit<Exchange, 'request'>> & { stage?: string } = {}): Exchange => {
  const { stage = 'v1', ...rest } = parts;
  const request = { stage, httpMethod: 'GET', arrivedAtMs: startMs + 1000 } as Exchange['request'];
  return { request, resourcePath: '/contract', answered: { status: 200, lengthBytes: 2, latencyMs: 30 }, ...rest };
};

const api = { name: 'Api', stageName: 'v1', hasMethodMetrics: false };

/** `AWS/X {Dimension=value} Name` → value */
const valuesByName = (metrics: readonly Parameters<Sink['putMetric']>[0][] | ReturnType<typeof storeMetrics>) =>
  Object.fromEntries(
    metrics.map(({ namespace, name, dimensions, value }) => [
      [namespace.replace('AWS/', ''), ...Object.values(dimensions), name].join(' '),
      value,
    ]),
  );

describe('API Gateway publishes', () => {
  test('metrics of the stage, and of the method if enabled, for a request that reached a function', () => {
    const reached = exchangeOf({ integration: { status: 200, latencyMs: 25 } });
    expect(Object.keys(valuesByName(gatewayMetrics(reached, api)))).toHaveLength(5);
    expect(valuesByName(gatewayMetrics(reached, { ...api, hasMethodMetrics: true }))).toEqual({
      'ApiGateway Api v1 Count': 1,
      'ApiGateway Api v1 4XXError': 0,
      'ApiGateway Api v1 5XXError': 0,
      'ApiGateway Api v1 Latency': 30,
      'ApiGateway Api v1 IntegrationLatency': 25,
      'ApiGateway Api v1 /contract GET Count': 1,
      'ApiGateway Api v1 /contract GET 4XXError': 0,
      'ApiGateway Api v1 /contract GET 5XXError': 0,
      'ApiGateway Api v1 /contract GET Latency': 30,
      'ApiGateway Api v1 /contract GET IntegrationLatency': 25,
    });
  });

  test('metrics of the stage only, without integration, for a request without a route', () => {
    const { resourcePath: _, ...withoutRoute } = exchangeOf({
      answered: { status: 404, lengthBytes: 2, latencyMs: 3 },
    });
    expect(valuesByName(gatewayMetrics(withoutRoute, api))).toEqual({
      'ApiGateway Api v1 Count': 1,
      'ApiGateway Api v1 4XXError': 1,
      'ApiGateway Api v1 5XXError': 0,
      'ApiGateway Api v1 Latency': 3,
    });
  });

  test('a failure as 5XXError', () => {
    const failed = exchangeOf({ answered: { status: 503, lengthBytes: 2, latencyMs: 3 } });
    expect(valuesByName(gatewayMetrics(failed, api))).toMatchObject({
      'ApiGateway Api v1 4XXError': 0,
      'ApiGateway Api v1 5XXError': 1,
    });
  });

  test('nothing for another stage', () => {
    expect(gatewayMetrics(exchangeOf({ stage: 'v2' }), api)).toEqual([]);
  });
});

describe('Lambda publishes', () => {
  test('concurrent executions, per function and for all', () => {
    const functions = createFunctionMetrics();
    functions.concurrency({ functionName: 'one', underWay: 2 });
    expect(valuesByName(functions.concurrency({ functionName: 'other', underWay: 1 }))).toEqual({
      'Lambda other ConcurrentExecutions': 1,
      'Lambda ConcurrentExecutions': 3,
    });
    functions.concurrency({ functionName: 'one', underWay: 0 });
    expect(valuesByName(functions.concurrency({ functionName: 'other', underWay: 2 }))).toMatchObject({
      'Lambda ConcurrentExecutions': 2,
    });
  });

  test('duration and errors of an invocation', () => {
    const { invocation } = createFunctionMetrics();
    expect(valuesByName(invocation({ functionName: 'one', durationMs: 12, hasFailed: true }))).toEqual({
      'Lambda one Invocations': 1,
      'Lambda one Errors': 1,
      'Lambda one Duration': 12,
      'Lambda one Throttles': 0,
      'Lambda Invocations': 1,
      'Lambda Errors': 1,
      'Lambda Duration': 12,
      'Lambda Throttles': 0,
    });
  });
});

describe('DynamoDB publishes', () => {
  const call = { operation: 'BatchGetItem', tables: ['A', 'B'], status: 200, latencyMs: 4 };

  test('the units of each table of a call, and its latency by operation', () => {
    const metrics = storeMetrics({ ...call, consumed: [{ table: 'A', readUnits: 2, writeUnits: 0 }] });
    expect(valuesByName(metrics)).toMatchObject({
      'DynamoDB A ConsumedReadCapacityUnits': 2,
      'DynamoDB B ConsumedReadCapacityUnits': 0,
      'DynamoDB A BatchGetItem SuccessfulRequestLatency': 4,
      'DynamoDB A ReadThrottleEvents': 0,
    });
  });

  test('no latency for a failed call', () => {
    const metrics = valuesByName(storeMetrics({ ...call, status: 500, consumed: [] }));
    expect(metrics).toMatchObject({ 'DynamoDB A SystemErrors': 1, 'DynamoDB B BatchGetItem SystemErrors': 1 });
    expect(Object.keys(metrics).join()).not.toContain('SuccessfulRequestLatency');
  });
});

const stackWithFunction = (Properties: Resource['Properties'] & object): Stack => ({
  name: 'Fixture',
  environment: defaultEnvironment,
  assetPaths: new Map(),
  template: { Resources: { Function1: { Type: 'AWS::Lambda::Function', Properties } } },
});

describe('an observed run', () => {
  const observed = () => {
    const directory = temporaryDirectory();
    const stack = stackWithFunction({
      FunctionName: 'fixture',
      Code: { ZipFile: '' },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Role: 'any',
      LoggingConfig: { LogGroup: 'requests' },
    });
    const accessLog = {
      accessLogGroup: 'access',
      accessLogLine: ({ request }: Exchange) => `at ${request.arrivedAtMs}`,
    };
    const served = {
      logsDirectory: directory,
      telemetry: new EventEmitter() as TelemetryEmitter,
      version: () => ({ stack, resolve: createResolver(stack, { tablePrefix: '' }), api: { ...api, ...accessLog } }),
    } as unknown as ServedStack;
    const put = { metrics: [] as Parameters<Sink['putMetric']>[0][], logs: [] as Parameters<Sink['putLogEvent']>[0][] };
    const sink: Sink = {
      putMetric: (metric) => put.metrics.push(metric),
      putLogEvent: (event) => put.logs.push(event),
    };
    return { served, put, sink, logFile: join(directory, 'fixture.log') };
  };
  const clock = createCompressedClock(
    { lengthMs: 36_000, runMsAt: (realMs) => Math.max(0, realMs - startMs) },
    startMs,
    60,
  );

  test('is published at its shown time, including the access log', () => {
    const { served, put, sink } = observed();
    const { stop } = publishTelemetry(served, clock, sink);
    served.telemetry.emit('exchange', exchangeOf());
    stop();
    const shownMs = startMs + 60_000;
    expect(new Set(put.metrics.map(({ atMs }) => atMs))).toEqual(new Set([shownMs]));
    expect(put.logs).toEqual([{ logGroup: 'access', atMs: shownMs, message: `at ${shownMs}` }]);
  });

  test('shows ages of messages and records in shown time, except for the wait that the run itself causes', () => {
    const { served, put, sink } = observed();
    vi.setSystemTime(startMs + 10_000);
    const { stop } = publishTelemetry(served, clock, sink);
    const depth = { queueName: 'q', visible: 2, notVisible: 1, delayed: 0 };
    served.telemetry.emit('queueDepth', { ...depth, oldestSentAtMs: startMs + 2000 });
    served.telemetry.emit('queueDepth', { ...depth, queueName: 'empty', visible: 0, oldestSentAtMs: undefined });
    served.telemetry.emit('streamBatch', { functionName: 'f', lastRecordAtMs: startMs + 6000 });
    served.telemetry.emit('streamBatch', { functionName: 'g', lastRecordAtMs: startMs + 7000 });
    served.telemetry.emit('queueBatch', { queueName: 'q', received: 10, deleted: 9 });
    stop();
    vi.useRealTimers();
    expect(valuesByName(put.metrics)).toMatchObject({
      'SQS q NumberOfMessagesReceived': 10,
      'SQS empty NumberOfMessagesReceived': 0,
      'SQS q ApproximateAgeOfOldestMessage': 303,
      'SQS q ApproximateNumberOfMessagesVisible': 2,
      'SQS q ApproximateNumberOfMessagesNotVisible': 1,
      'SQS empty ApproximateAgeOfOldestMessage': 0,
      'Lambda f IteratorAge': 63_000,
      'Lambda g IteratorAge': 3000,
    });
  });

  /** Publishes a log with these lines; returns what was put. */
  const publishedOf = (...lines: readonly string[]) => {
    const { served, put, sink, logFile } = observed();
    const { stop } = publishTelemetry(served, clock, sink);
    writeFileSync(logFile, lines.map((line) => `${line}\n`).join(''));
    stop();
    return put.logs.map(({ atMs, message }) => ({ atMs, message }));
  };

  test('replaces all times of a line by the shown time, and changes nothing else', () => {
    const event = {
      timestamp: '2036-03-10T12:00:02Z',
      durationMs: 12,
      Requests: 1,
      _aws: { Timestamp: startMs + 2000, CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [[]], Metrics: [] }] },
    };
    const atMs = startMs + 120_000;
    const [line] = publishedOf(JSON.stringify(event));
    expect(line?.atMs).toBe(atMs);
    expect(JSON.parse(line?.message ?? '')).toEqual({
      ...event,
      timestamp: '2036-03-10T12:02:00Z',
      _aws: { ...event._aws, Timestamp: atMs },
    });
  });

  test.each(['TypeError: x is not a function', '{"broken', '42', '{"level":"INFO"}', '{"timestamp":"soon"}'])(
    '%s is not an event: it stays unchanged, at the time of the previous line',
    (message) => {
      const [, line] = publishedOf('{"timestamp":"2036-03-10T12:00:07Z"}', message);
      expect(line).toEqual({ atMs: startMs + 420_000, message });
    },
  );

  test('publishes only the lines that functions have written since it began', () => {
    const { served, put, sink, logFile } = observed();
    writeFileSync(logFile, '{"timestamp":"2036-03-10T11:59:59Z"}\n');
    const { stop } = publishTelemetry(served, clock, sink);
    appendFileSync(logFile, '{"timestamp":"2036-03-10T12:00:01Z"}\nplain\n');
    stop();
    const destination = { logGroup: 'requests', logStream: 'local/fixture[$LATEST]' };
    expect(put.logs).toEqual([
      { ...destination, atMs: startMs + 60_000, message: '{"timestamp":"2036-03-10T12:01:00Z"}' },
      { ...destination, atMs: startMs + 60_000, message: 'plain' },
    ]);
  });

  test('has no listeners left once it is stopped', () => {
    const { served, sink } = observed();
    publishTelemetry(served, clock, sink).stop();
    expect(served.telemetry.eventNames()).toEqual([]);
  });
});
