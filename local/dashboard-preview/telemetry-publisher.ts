import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogDestination } from 'serve-stack';
import { type Exchange, readLogDestinations, type ServedStack, type TelemetryEvents } from 'serve-stack';
import type { MetricDatum, WrittenEvent } from 'serve-stack/cloudwatch';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { CompressedClock } from './run-clock.ts';
import {
  createFunctionMetrics,
  gatewayMetrics,
  type MetricValue,
  queueBatchMetrics,
  queueMetrics,
  storeMetrics,
} from './vended-metrics.ts';

/** Receives the metrics and log lines of a run, like CloudWatch. */
type Sink = {
  readonly putMetric: (datum: MetricDatum) => void;
  readonly putLogEvent: (event: WrittenEvent) => void;
};

/**
 * How long messages and records may wait because of the local run itself, which polls and starts processes. This wait is not
 * stretched: a second of it would be shown as five minutes at a queue, although nothing is wrong.
 */
const defaultIntervalMs = 3000;

type Watched = Pick<ServedStack, 'logsDirectory' | 'telemetry' | 'version'>;

/**
 * Publishes the metrics and log lines that AWS would publish of a run, at their shown times, until `stop`, which publishes the
 * functions' log lines.
 */
export const publishTelemetry = (
  served: Watched,
  clock: CompressedClock,
  sink: Sink,
  ownPaceMs = defaultIntervalMs,
) => {
  const { telemetry, logsDirectory } = served;
  const { api, stack, resolve } = served.version();
  const logs = followFunctionLogs(logsDirectory, readLogDestinations(stack.template, resolve));
  const functions = createFunctionMetrics();
  const put = (metrics: readonly MetricValue[], realMs: number) => {
    const atMs = clock.shownMs(realMs);
    for (const metric of metrics) sink.putMetric({ ...metric, atMs });
  };

  /** Returns an age in shown time, except for the first `ownPaceMs`, which are not stretched. */
  const shownAgeMs = (sinceMs: number) => {
    const ageMs = Date.now() - sinceMs;
    return ageMs <= ownPaceMs ? ageMs : ownPaceMs + clock.shownMs(Date.now()) - clock.shownMs(sinceMs + ownPaceMs);
  };

  const listeners: { readonly [Name in keyof TelemetryEvents]: (...args: TelemetryEvents[Name]) => void } = {
    exchange: (exchange) => {
      put(gatewayMetrics(exchange, api), exchange.request.arrivedAtMs);
      putAccessLogLine(exchange);
    },
    concurrency: (change) => put(functions.concurrency(change), Date.now()),
    invocation: (invocation) => put(functions.invocation(invocation), Date.now() - invocation.durationMs),
    queueDepth: (depth) => {
      const { oldestSentAtMs } = depth;
      put(queueMetrics(depth, oldestSentAtMs === undefined ? undefined : shownAgeMs(oldestSentAtMs)), Date.now());
    },
    streamBatch: ({ functionName, lastRecordAtMs }) =>
      put(functions.streamBatch(functionName, shownAgeMs(lastRecordAtMs)), Date.now()),
    queueBatch: (batch) => put(queueBatchMetrics(batch), Date.now()),
    storeCall: (call) => put(storeMetrics(call), Date.now() - call.latencyMs),
  };

  const putAccessLogLine = (exchange: Exchange) => {
    if (api.accessLogGroup === undefined) return;
    const atMs = clock.shownMs(exchange.request.arrivedAtMs);
    const shown = { ...exchange, request: { ...exchange.request, arrivedAtMs: atMs } };
    sink.putLogEvent({ logGroup: api.accessLogGroup, atMs, message: api.accessLogLine(shown) });
  };

  const putFunctionLogs = () => {
    for (const lines of logs.read()) {
      let atMs = clock.shownMs(0);
      for (const { message, ...destination } of lines) {
        const event = toShownEvent(message, clock, atMs);
        atMs = event.atMs;
        sink.putLogEvent({ ...destination, ...event });
      }
    }
  };

  const names = Object.keys(listeners) as (keyof TelemetryEvents)[];
  for (const name of names) telemetry.on(name, listeners[name]);
  return {
    stop: () => {
      for (const name of names) telemetry.off(name, listeners[name]);
      putFunctionLogs();
    },
  };
};

type LogLine = LogDestination & { readonly message: string };

/**
 * Follows the lines that functions write from now on. The functions' processes write directly to files, each line before
 * the answer to its request.
 */
const followFunctionLogs = (logsDirectory: string, destinations: ReadonlyMap<string, LogDestination>) => {
  const files = [...destinations].map(([functionName, destination]) => {
    const file = join(logsDirectory, `${functionName}.log`);
    return { file, destination, startBytes: existsSync(file) ? statSync(file).size : 0 };
  });
  return {
    /** Returns the lines of each file in the order in which they were written. */
    read: (): (readonly LogLine[])[] =>
      files
        .filter(({ file }) => existsSync(file))
        .map(({ file, destination, startBytes }) =>
          readFileSync(file)
            .subarray(startBytes)
            .toString()
            .split('\n')
            .filter((message) => message !== '')
            .map((message) => ({ ...destination, message })),
        ),
  };
};

type ShownEvent = { readonly atMs: number; readonly message: string };

type TimedEvent = { readonly timestamp: string; readonly _aws?: { readonly Timestamp: number } };

/**
 * Returns a line of a function's log as if it had been written at its shown time. The times inside the line change too,
 * because CloudWatch takes a metric's time from there. A line that is not an event of ours stays unchanged, at the time of
 * the previous line.
 */
const toShownEvent = (message: string, { shownMs }: CompressedClock, lineBeforeMs: number): ShownEvent => {
  const event = parseEvent(message);
  if (!event) return { atMs: lineBeforeMs, message };
  const atMs = shownMs(event._aws?.Timestamp ?? Date.parse(event.timestamp));
  const _aws = event._aws && { ...event._aws, Timestamp: atMs };
  return { atMs, message: JSON.stringify({ ...event, timestamp: toTimestamp(atMs), ...(_aws && { _aws }) }) };
};

const parseEvent = (message: string): TimedEvent | undefined => {
  try {
    const value: unknown = JSON.parse(message);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isEvent = (value: unknown): value is TimedEvent =>
  typeof value === 'object' &&
  value !== null &&
  'timestamp' in value &&
  !Number.isNaN(Date.parse(String(value.timestamp)));
