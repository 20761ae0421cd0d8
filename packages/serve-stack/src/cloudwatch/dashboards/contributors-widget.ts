import { requireKnown } from '../../errors/require-known.ts';
import type { InsightRules } from '../contributors/insight-rules.ts';
import { periodsOf, type TimeRange } from '../metrics/time-series.ts';
import type { Content } from './dashboard-view.ts';

/** A rule as a widget names it. */
export type ShownRule = {
  readonly maxContributorCount?: number;
  readonly orderBy?: string;
  readonly ruleName: string;
};

const defaultContributorCount = 10;

/** Finds the largest contributors of a rule, by their sum over the range or by their largest value in a period. */
export const contributorsWidget = (
  insightRule: ShownRule,
  periodMs: number,
  range: TimeRange,
  insightRules: InsightRules,
): Content => {
  requireKnown('member of insightRule:', Object.keys(insightRule), ['maxContributorCount', 'orderBy', 'ruleName']);
  const { maxContributorCount = defaultContributorCount, orderBy = 'Sum', ruleName } = insightRule;
  requireKnown('order of contributors:', [orderBy], ['Sum', 'Maximum']);
  const ranked = insightRules.contributors(ruleName, periodsOf(range, periodMs), periodMs).map(({ label, points }) => {
    const values = [...points.values()];
    const sum = values.reduce((total, value) => total + value, 0);
    return {
      label,
      axis: 'left' as const,
      points: [...points],
      sum,
      rank: orderBy === 'Sum' ? sum : Math.max(...values),
    };
  });
  return {
    kind: 'contributors',
    contributors: ranked
      .sort((a, b) => b.rank - a.rank)
      .slice(0, maxContributorCount)
      .map(({ rank: _, ...contributor }) => contributor),
  };
};
