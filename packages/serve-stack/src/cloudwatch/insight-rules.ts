import { requireKnown, UserFacingError } from '../errors.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/stack.ts';
import type { LogEvent } from './log-store.ts';

export type InsightRules = ReturnType<typeof createInsightRules>;

/** A contributor, with its number of events over time. */
type Contributor = { readonly label: string; readonly points: readonly (readonly [atMs: number, count: number])[] };

/** Evaluates the template's Contributor Insights rules over given log events. */
export const createInsightRules = (template: Template, resolve: Resolve) => {
  const rules = readRules(template, resolve);

  return {
    put: (event: LogEvent): void => {
      for (const { contributorOf, contributions } of rules.values()) {
        const label = contributorOf(event);
        if (label !== undefined) contributions.push({ label, atMs: event.atMs });
      }
    },

    /**
     * Returns each contributor's number of events in each of the given periods that has any. `periods` are the starts of the
     * periods.
     */
    contributors: (ruleName: string, periods: readonly number[], periodMs: number): Contributor[] => {
      const rule = rules.get(ruleName);
      if (!rule) throw new UserFacingError(`The template has no Contributor Insights rule ${ruleName}.`);
      return [...Map.groupBy(rule.contributions, ({ label }) => label)].flatMap(([label, events]) => {
        const points = periods.flatMap((fromMs) => {
          const count = events.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + periodMs).length;
          return count > 0 ? [[fromMs, count] as const] : [];
        });
        return points.length > 0 ? [{ label, points }] : [];
      });
    },
  };
};

type Rule = {
  /** Returns the contributor of an event; `undefined` if the rule does not match it. */
  readonly contributorOf: (event: LogEvent) => string | undefined;
  readonly contributions: { readonly label: string; readonly atMs: number }[];
};

type Properties = { readonly RuleState: string; readonly RuleBody: string };

/** Reads the rules, by name. */
const readRules = (template: Template, resolve: Resolve): ReadonlyMap<string, Rule> =>
  new Map(
    readResources<Properties>(template, resolve, 'AWS::CloudWatch::InsightRule', [
      'RuleName',
      'RuleState',
      'RuleBody',
    ]).map(({ logicalId, RuleState, RuleBody }) => {
      requireKnown(`state of the rule ${logicalId}:`, [RuleState], ['ENABLED']);
      const name = resolve<string>({ Ref: logicalId });
      return [name, { contributorOf: parseRuleBody(name, RuleBody), contributions: [] }];
    }),
  );

type Body = {
  readonly Schema: { readonly Name: string; readonly Version: number };
  readonly LogGroupNames: readonly string[];
  readonly LogFormat: string;
  readonly Contribution: {
    readonly Keys: readonly string[];
    readonly Filters: readonly { readonly Match: string; readonly In: readonly unknown[] }[];
  };
  readonly AggregateOn: string;
};

/** Parses a rule that counts the events of one key that match its filters. */
export const parseRuleBody = (name: string, text: string): Rule['contributorOf'] => {
  const { Schema, LogGroupNames, LogFormat, Contribution, AggregateOn, ...others }: Body = JSON.parse(text);
  const known = (what: string, found: readonly unknown[], values: readonly string[]) =>
    requireKnown(`${what} of the rule ${name}:`, found.map(String), values);
  known('member', Object.keys(others), []);
  known('schema', [`${Schema.Name} ${Schema.Version}`], ['CloudWatchLogRule 1']);
  known(
    'log group',
    LogGroupNames.filter((each) => each.includes('*')),
    [],
  );
  known('log format', [LogFormat], ['JSON']);
  known('aggregation', [AggregateOn], ['Count']);
  known('member', Object.keys(Contribution), ['Keys', 'Filters']);
  known('second key', Contribution.Keys.slice(1), []);
  const key = fieldOf(Contribution.Keys[0]);
  const filters = Contribution.Filters.map(({ Match, In, ...conditions }) => {
    known('condition', Object.keys(conditions), []);
    return { field: fieldOf(Match), texts: In.map(String) };
  });
  return ({ logGroup, fields }) => {
    const isMatch = filters.every(({ field, texts }) => texts.includes(String(fields.get(field))));
    return LogGroupNames.includes(logGroup) && isMatch ? fields.get(key)?.toString() : undefined;
  };
};

/** `$.a` → `a`. */
const fieldOf = (path = ''): string => {
  if (/^\$\.\w+$/.test(path)) return path.slice(2);
  throw new UserFacingError(`The local run does not know the path ${path} of a Contributor Insights rule.`);
};
