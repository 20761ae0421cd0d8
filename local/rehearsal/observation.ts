import { join } from 'node:path';
import { readLogGroups } from '../aws/functions/functions.ts';
import type { Exchange } from '../aws/gateway/exchange.ts';
import type { TelemetryEvents } from '../aws/telemetry.ts';
import type { LocalService } from '../service.ts';
import type { CompressedClock } from './compressed-clock.ts';
import { toShownEvent } from './compressed-event.ts';
import { followFunctionLogs } from './function-logs.ts';
import type { Sample } from './sample.ts';
import { createFunctionSamples, gatewaySamples, storeSamples } from './vended-metrics.ts';

/** Where the samples and log lines of a run go: CloudWatch, on this machine. */
export type Sink = {
  readonly putMetric: (sample: Sample & { readonly atMs: number }) => void;
  readonly putLogEvent: (event: { readonly logGroup: string; readonly atMs: number; readonly message: string }) => void;
};

type Watched = Pick<LocalService, 'api' | 'directory' | 'telemetry' | 'resolve' | 'stack'>;

/** Hands on what AWS would publish of a run, at its shown time, until it is stopped; functions' log lines follow then. */
export const observeRun = (service: Watched, clock: CompressedClock, sink: Sink) => {
  const { api, telemetry, stack, resolve, directory } = service;
  const logs = followFunctionLogs(join(directory, 'logs'), readLogGroups(stack.template, resolve));
  const functions = createFunctionSamples();
  const put = (samples: readonly Sample[], realMs: number) => {
    const atMs = clock.shownMs(realMs);
    for (const sample of samples) sink.putMetric({ ...sample, atMs });
  };

  const listeners: { readonly [Name in keyof TelemetryEvents]: (...args: TelemetryEvents[Name]) => void } = {
    exchange: (exchange) => {
      put(gatewaySamples(exchange, api), exchange.request.arrivedAtMs);
      putAccessLogLine(exchange);
    },
    concurrency: (change) => put(functions.concurrency(change), Date.now()),
    invocation: (invocation) => put(functions.invocation(invocation), Date.now() - invocation.durationMs),
    storeCall: (call) => put(storeSamples(call), Date.now() - call.latencyMs),
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
      for (const { logGroup, message } of lines) {
        const event = toShownEvent(message, clock, atMs);
        atMs = event.atMs;
        sink.putLogEvent({ logGroup, ...event });
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
