import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { MetricDatum } from './metric-store.ts';

type Event = Readonly<Record<string, unknown>>;

type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
};

/** Reads the metrics that an event in embedded metric format (`_aws`) is counted as; what misses its format is an error. */
export const metricDataOf = (event: Event, atMs: number): MetricDatum[] =>
  directivesOf(event).flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, dimensionOf(event, name)]));
      return Metrics.flatMap(({ Name }) =>
        valuesOf(event, Name).map((value) => ({ namespace: Namespace, name: Name, dimensions, atMs, value })),
      );
    }),
  );

const directivesOf = ({ _aws }: Event): readonly Directive[] => {
  const directives = isObject(_aws) ? _aws.CloudWatchMetrics : undefined;
  if (!Array.isArray(directives)) throw malformed('_aws holds no list CloudWatchMetrics');
  for (const directive of directives) {
    requireKnown('member of an embedded metric:', Object.keys(directive), ['Namespace', 'Dimensions', 'Metrics']);
    const { Namespace, Dimensions, Metrics } = directive;
    if (typeof Namespace !== 'string') throw malformed('its Namespace is no text');
    if (!Array.isArray(Dimensions) || !Dimensions.every(Array.isArray)) throw malformed('its Dimensions are no lists');
    if (!Array.isArray(Metrics)) throw malformed('its Metrics are no list');
    for (const metric of Metrics) requireKnown('member of an embedded metric:', Object.keys(metric), ['Name', 'Unit']);
  }
  return directives;
};

const dimensionOf = (event: Event, name: string): string => {
  const value = event[name];
  if (typeof value !== 'string') throw malformed(`its dimension ${name} is no text: ${value}`);
  return value;
};

const valuesOf = (event: Event, name: string): readonly number[] => {
  const values = [event[name]].flat();
  if (!values.every(Number.isFinite))
    throw malformed(`its metric ${name} is no number: ${JSON.stringify(event[name])}`);
  return values as number[];
};

const isObject = (value: unknown): value is Event => typeof value === 'object' && value !== null;

const malformed = (why: string) => new UserFacingError(`CloudWatch would make no metric of an event: ${why}.`);
