import { loadStageConfig } from '../../../config/load.ts';
import type { Template } from './example-template.ts';
import { assumptions } from './measurements.ts';
import { metricSeriesCount } from './metric-series.ts';
import { type PricedRegion, type PriceName, priceList } from './price-list.ts';
import { priceDecisionOf } from './resource-prices.ts';

export type CostItem = {
  readonly price: PriceName;
  /** How many of the price's units, in words and as a number. */
  readonly takes: string;
  readonly units: number;
};

export const costIn = (region: PricedRegion, { price, units }: CostItem): number =>
  units * priceList[price].amounts[region];

export const totalIn = (region: PricedRegion, items: readonly CostItem[]): number =>
  items.reduce((sum, item) => sum + costIn(region, item), 0);

const secondsOfMonth = 30 * 86_400;

/** What a stage costs a month, whether anybody calls it or not; at most, since every metric is counted as if always written. */
export const fixedCosts = (template: Template): CostItem[] => {
  const items = new Map<PriceName, { units: number; resources: number }>();
  for (const resource of Object.values(template.Resources)) {
    const decision = priceDecisionOf(resource.Type);
    if (!('price' in decision)) continue;
    const { units, resources } = items.get(decision.price) ?? { units: 0, resources: 0 };
    items.set(decision.price, { units: units + decision.unitsOf(resource), resources: resources + 1 });
  }
  const ofResources = [...items].map(([price, { units, resources }]) => ({
    price,
    units,
    takes: units === resources ? `${units}` : `${units} metrics of ${resources} alarms`,
  }));
  const { canaryCompanyId } = loadStageConfig('example').monitoring;
  const series = metricSeriesCount(canaryCompanyId === undefined ? ['CanaryServed'] : []);
  const { tableGigabytes } = assumptions;
  return [
    ...ofResources,
    { price: 'customMetric', units: series, takes: `${series} series at most` },
    { price: 'tableStorage', units: tableGigabytes, takes: `${tableGigabytes} GB` },
    { price: 'recovery', units: tableGigabytes, takes: `${tableGigabytes} GB` },
    queuePolling(template),
  ];
};

/**
 * What Lambda's asking costs of queues in which nothing is: each of its pollers waits for a message as long as SQS lets it,
 * and the request is paid all the same.
 */
const queuePolling = (template: Template): CostItem => {
  const queues = Object.values(template.Resources).filter(
    ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && !Properties?.StartingPosition,
  ).length;
  const { pollersOfQueue, pollSeconds } = assumptions;
  return {
    price: 'queueRequest',
    units: (queues * pollersOfQueue * secondsOfMonth) / pollSeconds / 1e6,
    takes: `${queues} queues × ${pollersOfQueue} pollers × 30 days, every ${pollSeconds} s`,
  };
};
