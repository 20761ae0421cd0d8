import { expect } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { requestEvent } from '../../lambdas/api/events/request-event.ts';
import { decisionOf, type Metric, metrics } from '../../lambdas/api/metrics.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { maxEventBytes } from '../../lambdas/data/event-log.ts';

/** Checks a line that a function has written, and returns what it says and the metric series that it feeds. */
export const readRequestEvent = (line: string) => {
  expect(Buffer.byteLength(line)).toBeLessThan(maxEventBytes);
  const { data: event, error } = z.safeParse(requestEvent, JSON.parse(line));
  expect(error?.issues, line).toBeUndefined();
  if (!event) throw new Error('An event without error has data.');
  expect(event.decision).toBe(decisionOf(event.reason));
  expect(event.status).toBe(event.reason ? problems[event.reason].status : endpoints[event.operation].success.status);
  return { event, series: seriesOf(event) };
};

/** As CloudWatch takes them from the event: name and the values of its dimensions. Every number has to be there. */
const seriesOf = (event: Readonly<Record<string, unknown>> & { readonly _aws: { CloudWatchMetrics: unknown[] } }) =>
  (event._aws.CloudWatchMetrics as Directive[]).flatMap(({ Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name, Unit }) => {
      const { unit, dimensions }: Metric = metrics[Name];
      expect(Unit).toBe(unit);
      expect(event[Name]).toEqual(expect.any(Number));
      return Dimensions.map((set) => {
        for (const dimension of set) expect(dimensions).toContain(dimension);
        return [Name, ...set.map((dimension) => `${dimension}=${event[dimension]}`)].join(' ');
      });
    }),
  );

type Directive = {
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: keyof typeof metrics; readonly Unit: string }[];
};
