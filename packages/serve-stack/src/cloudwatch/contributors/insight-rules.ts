import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { Resolve } from '../../template/intrinsics.ts';
import { readResources } from '../../template/resources.ts';
import type { Template } from '../../template/template.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { LogEvent } from '../logs/log-store.ts';
import { seriesOf, type TimeSeries, type Times } from '../metrics/time-series.ts';
import { parseInsightRule } from './insight-rule-body.ts';

type Contribution = { value: number; events: number };

type Contributions = Map<string, Contribution>;

export type Contributor = { readonly label: string; readonly points: TimeSeries };

export type InsightRules = ReturnType<typeof createInsightRules>;

const minuteMs = 60_000;

/** The template's Contributor Insights rules over the log events that they are given. */
export const createInsightRules = (template: Template, resolve: Resolve) => {
  const rules = new Map(
    readRules(template, resolve).map(({ name, body }) => [
      name,
      { rule: parseInsightRule(name, body), minutes: new Map<number, Contributions>() },
    ]),
  );

  const contributionsAt = (ruleName: string) => {
    const found = rules.get(ruleName);
    if (!found) throw new UserFacingError(`The template has no Contributor Insights rule ${ruleName}.`);
    return (fromMs: number, periodMs: number): Contributions => {
      const total: Contributions = new Map();
      for (let atMs = Math.floor(fromMs / minuteMs) * minuteMs; atMs < fromMs + periodMs; atMs += minuteMs)
        for (const [label, contribution] of found.minutes.get(atMs) ?? []) add(total, label, contribution);
      return total;
    };
  };

  return {
    put: (event: LogEvent): void => {
      for (const { rule, minutes } of rules.values()) {
        const match = rule(event);
        if (!match) continue;
        const minute = Math.floor(event.atMs / minuteMs) * minuteMs;
        add(
          getOrInsert(minutes, minute, () => new Map()),
          match.label,
          { value: match.value, events: 1 },
        );
      }
    },

    contributors: (ruleName: string, times: Times, periodMs: number): Contributor[] => {
      const at = contributionsAt(ruleName);
      const periods = new Map(times.map((atMs) => [atMs, at(atMs, periodMs)]));
      const labels = new Set([...periods.values()].flatMap((contributions) => [...contributions.keys()]));
      return [...labels].map((label) => ({
        label,
        points: seriesOf(times, (atMs) => periods.get(atMs)?.get(label)?.value),
      }));
    },

    metric: (ruleName: string, metricName: string, times: Times, periodMs: number): TimeSeries => {
      const compute = ruleMetrics[metricName];
      if (!compute)
        throw new UserFacingError(`The local run does not know ${metricName} of a Contributor Insights rule.`);
      const at = contributionsAt(ruleName);
      return seriesOf(times, (startMs) => {
        const contributions = [...at(startMs, periodMs).values()];
        return contributions.length === 0 ? undefined : compute(contributions);
      });
    },
  };
};

const add = (contributions: Contributions, label: string, { value, events }: Contribution): void => {
  const total = getOrInsert(contributions, label, () => ({ value: 0, events: 0 }));
  total.value += value;
  total.events += events;
};

const ruleMetrics: Readonly<Record<string, (contributions: readonly Contribution[]) => number>> = {
  Sum: (contributions) => contributions.reduce((sum, { value }) => sum + value, 0),
  SampleCount: (contributions) => contributions.reduce((sum, { events }) => sum + events, 0),
  UniqueContributors: (contributions) => contributions.length,
  MaxContributorValue: (contributions) => Math.max(...contributions.map(({ value }) => value)),
};

type Properties = { readonly RuleName: string; readonly RuleState: string; readonly RuleBody: string };

const readRules = (template: Template, resolve: Resolve): { name: string; body: string }[] =>
  readResources<Properties>(template, resolve, 'AWS::CloudWatch::InsightRule', [
    'RuleName',
    'RuleState',
    'RuleBody',
    'Tags',
  ]).map(({ logicalId, RuleState, RuleBody }) => {
    requireKnown(`state of the rule ${logicalId}:`, [RuleState], ['ENABLED']);
    return { name: resolve<string>({ Ref: logicalId }), body: RuleBody };
  });
