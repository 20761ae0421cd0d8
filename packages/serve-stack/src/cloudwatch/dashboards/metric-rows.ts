import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import { parseMath } from '../metric-math/metric-math.ts';
import { type MetricQuery, periodMsOf } from '../metric-math/metric-queries.ts';

/** A row of a widget's `metrics`: names and values in CloudWatch's shorthand, options last. */
export type Row = readonly (string | Options)[];

type Options = {
  readonly expression?: string;
  readonly id?: string;
  readonly visible?: boolean;
  readonly stat?: string;
  readonly period?: number;
  readonly label?: string;
  readonly color?: string;
  readonly yAxis?: 'left' | 'right';
};

/** A line of a widget: what to evaluate, and how to show it. */
export type Line = {
  readonly query: MetricQuery;
  readonly isVisible: boolean;
  readonly label: string;
  readonly color: string | undefined;
  readonly axis: 'left' | 'right';
};

const knownOptions = [
  'expression',
  'id',
  'visible',
  'stat',
  'period',
  'label',
  'color',
  'yAxis',
  'region',
  'accountId',
];

/** Reads the rows of a widget, whose own statistic and period (in seconds) hold where a row names none. */
export const readLines = (rows: readonly Row[], widget: { readonly stat: string; readonly period: number }): Line[] => {
  let previous: readonly string[] = [];
  return rows.map((row) => {
    const options = row.map((part) => (typeof part === 'object' ? part : {})).at(-1) ?? {};
    requireKnown('option of a metric in a dashboard:', Object.keys(options), knownOptions);
    if (options.expression === undefined) previous = expand(row.filter(isText), previous);
    const query = queryOf(options, previous, widget);
    const line = {
      query,
      isVisible: options.visible ?? true,
      label: options.label ?? defaultLabel(query),
      color: options.color,
      axis: options.yAxis ?? 'left',
    };
    if (line.label.includes('${'))
      throw new UserFacingError(`The local run does not know dynamic labels: ${line.label}`);
    return line;
  });
};

const isText = (part: string | Options): part is string => typeof part === 'string';

const queryOf = (
  { id, expression, stat, period }: Options,
  names: readonly string[],
  widget: { readonly stat: string; readonly period: number },
): MetricQuery => {
  const periodMs = periodMsOf(period ?? widget.period);
  if (expression !== undefined) return { id, periodMs, kind: 'expression', expression: parseMath(expression) };
  return { id, periodMs, kind: 'metric', metric: identityOf(names), statistic: stat ?? widget.stat };
};

/** `.` stands for the part at its place in the row before, `...` for as many of its parts as fill this row up. */
const expand = (parts: readonly string[], previous: readonly string[]): string[] => {
  const rest = parts.indexOf('...');
  const filled =
    rest < 0
      ? parts
      : [
          ...parts.slice(0, rest),
          ...previous.slice(rest, previous.length - (parts.length - rest - 1)),
          ...parts.slice(rest + 1),
        ];
  return filled.map((part, index) => (part === '.' ? (previous[index] ?? part) : part));
};

const identityOf = ([namespace, name, ...pairs]: readonly string[]) => {
  if (namespace === undefined || name === undefined || pairs.length % 2 !== 0)
    throw new UserFacingError(`A dashboard shows no metric: ${JSON.stringify([namespace, name, ...pairs])}`);
  const dimensions: Record<string, string> = {};
  for (let index = 0; index < pairs.length; index += 2) dimensions[pairs[index] ?? ''] = pairs[index + 1] ?? '';
  return { namespace, name, dimensions };
};

const defaultLabel = (query: MetricQuery): string =>
  query.kind === 'expression'
    ? query.expression.text
    : [query.metric.name, ...Object.values(query.metric.dimensions)].join(' ');
