import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { LogEvent, LogField } from '../logs/log-store.ts';

type Body = {
  readonly Schema: { readonly Name: string; readonly Version: number };
  readonly LogGroupNames: readonly string[];
  readonly LogFormat: string;
  readonly Contribution: {
    readonly Keys: readonly string[];
    readonly Filters?: readonly Filter[];
    readonly ValueOf?: string;
  };
  readonly AggregateOn: string;
};

type Filter = { readonly Match: string } & Readonly<Record<string, unknown>>;

/** Tells what an event adds to which contributor of a rule; `undefined` if the rule does not match it. */
export type InsightRule = (event: LogEvent) => { readonly label: string; readonly value: number } | undefined;

export const parseInsightRule = (name: string, bodyText: string): InsightRule => {
  const body: Body = JSON.parse(bodyText);
  requireKnownBody(name, body);
  const { Keys, Filters = [], ValueOf } = body.Contribution;
  const keys = Keys.map(fieldOf);
  const valueField = ValueOf === undefined ? undefined : fieldOf(ValueOf);
  const filters = Filters.map((filter) => parseFilter(name, filter));
  const isInGroups = inGroups(body.LogGroupNames);

  return ({ logGroup, fields }) => {
    if (!isInGroups(logGroup) || !filters.every((matches) => matches(fields))) return undefined;
    const values = keys.flatMap((key) => fields.get(key) ?? []);
    const value = body.AggregateOn === 'Count' ? 1 : fields.get(valueField ?? '');
    if (values.length < keys.length || typeof value !== 'number') return undefined;
    return { label: values.join(', '), value };
  };
};

const requireKnownBody = (name: string, body: Body): void => {
  const known = (what: string, found: readonly unknown[], values: readonly string[]) =>
    requireKnown(`${what} of the rule ${name}:`, found.map(String), values);
  known('member', Object.keys(body), ['Schema', 'LogGroupNames', 'LogFormat', 'Contribution', 'AggregateOn']);
  known('schema', [`${body.Schema.Name} ${body.Schema.Version}`], ['CloudWatchLogRule 1']);
  known('log format', [body.LogFormat], ['JSON']);
  known('member', Object.keys(body.Contribution), ['Keys', 'Filters', 'ValueOf']);
  known('aggregation', [body.AggregateOn], ['Count', 'Sum']);
  if ((body.AggregateOn === 'Sum') !== (body.Contribution.ValueOf !== undefined))
    throw new UserFacingError(`The rule ${name} has to name ValueOf exactly if it aggregates on Sum.`);
};

const inGroups = (names: readonly string[]) => (logGroup: string) =>
  names.some((name) => (name.endsWith('*') ? logGroup.startsWith(name.slice(0, -1)) : logGroup === name));

/** `$.a.b[0]` → `a.b.0`. */
const fieldOf = (path: string): string => {
  if (!/^\$(\.[^.[\]]+|\[\d+\])+$/.test(path))
    throw new UserFacingError(`The local run does not know the path ${path} of a Contributor Insights rule.`);
  return path.slice(2).replace(/\[(\d+)\]/g, '.$1');
};

/** A field that the event does not have matches `IsPresent: false` only. */
const parseFilter = (name: string, filter: Filter) => {
  const { Match, ...conditions } = filter;
  const [condition, ...others] = Object.entries(conditions);
  if (!condition || others.length > 0)
    throw new UserFacingError(`A filter of the rule ${name} has to have one condition: ${JSON.stringify(filter)}`);
  const [operator, expected] = condition;
  const field = fieldOf(Match);
  if (operator === 'IsPresent') return (fields: LogEvent['fields']) => fields.has(field) === expected;
  const holds = operators[operator];
  if (!holds) throw new UserFacingError(`The local run does not know ${operator} in a filter of the rule ${name}.`);
  return (fields: LogEvent['fields']) => {
    const value = fields.get(field);
    return value !== undefined && holds(value, expected);
  };
};

const texts = (expected: unknown) => [expected].flat().map(String);

const operators: Readonly<Record<string, (value: LogField, expected: unknown) => boolean>> = {
  In: (value, expected) => texts(expected).includes(String(value)),
  NotIn: (value, expected) => !texts(expected).includes(String(value)),
  StartsWith: (value, expected) => texts(expected).some((start) => String(value).startsWith(start)),
  GreaterThan: (value, expected) => Number(value) > Number(expected),
  LessThan: (value, expected) => Number(value) < Number(expected),
  EqualTo: (value, expected) => Number(value) === Number(expected),
  NotEqualTo: (value, expected) => Number(value) !== Number(expected),
};
