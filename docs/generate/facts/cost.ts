import { tableOf } from '../../../partner/site/markdown.ts';
import type { Template } from '../cost/example-template.ts';
import { type CostItem, costIn, fixedCosts, totalIn } from '../cost/fixed-cost.ts';
import { measuredOperations } from '../cost/measurements.ts';
import { type Price, pricedRegions, priceList, pricePages, pricesAsOf } from '../cost/price-list.ts';
import { chainCosts, requestCosts } from '../cost/request-cost.ts';
import { priceDecisionOf } from '../cost/resource-prices.ts';
import type { Facts } from '../marked-facts.ts';
import { goals, plainestOperation, typicalOperation } from './cost-goals.ts';
import { leverTable } from './cost-levers.ts';

const [stageRegion] = pricedRegions;

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** In full: some prices are a small part of a cent. */
const amountOf = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 10 })}`;

const itemTable = (items: readonly CostItem[], period: string): string =>
  tableOf(
    ['item', 'takes', ...pricedRegions.map((region) => `${period}, ${region}`)],
    [
      ...items.map((item) => {
        const { page, what }: Price = priceList[item.price];
        return [`${page}: ${what}`, item.takes, ...pricedRegions.map((region) => dollars(costIn(region, item)))];
      }),
      ['**sum**', '', ...pricedRegions.map((region) => `**${dollars(totalIn(region, items))}**`)],
    ],
  );

const operationTable = (template: Template): string =>
  tableOf(
    ['operation', 'read units', 'write units', ...pricedRegions.map((region) => `a million, ${region}`)],
    measuredOperations.map((operationId) => {
      const items = requestCosts(operationId, template);
      const unitsOf = (price: CostItem['price']) => String(items.find((item) => item.price === price)?.units);
      return [
        operationId,
        unitsOf('readUnit'),
        unitsOf('writeUnit'),
        ...pricedRegions.map((region) => dollars(totalIn(region, items))),
      ];
    }),
  );

const priceTable = (): string =>
  tableOf(
    ['service', 'price', ...pricedRegions, 'for one', 'doubt'],
    Object.values<Price>(priceList).map(({ page, what, amounts, unit, doubt = '' }) => [
      `[${page}](${pricePages[page]})`,
      what,
      ...pricedRegions.map((region) => amountOf(amounts[region])),
      unit,
      doubt,
    ]),
  );

const otherResourceTable = ({ Resources }: Template): string => {
  const types = [...new Set(Object.values(Resources).map(({ Type }) => Type))].sort();
  const rows = types.flatMap((type) => {
    const decision = priceDecisionOf(type);
    if ('price' in decision) return [];
    const how = 'free' in decision ? ['free', decision.free] : ['by use', decision.byUse];
    return [[`\`${type}\``, ...how]];
  });
  return tableOf(['type', 'paid', 'why or where'], rows);
};

const verdict = (amount: number, goal: number): string =>
  `${dollars(amount)}, ${amount <= goal ? 'met' : `missed by ${dollars(amount - goal)}`}`;

const requestVerdicts = (template: Template): string =>
  tableOf(
    ['a million of', ...pricedRegions],
    [plainestOperation, typicalOperation].map((operationId) => [
      operationId,
      ...pricedRegions.map((region) =>
        verdict(totalIn(region, requestCosts(operationId, template)), goals.millionRequests),
      ),
    ]),
  );

/** What a request costs before anybody could do anything about it: the call, the invocation, the write of its bucket. */
const isFloor = (price: CostItem['price']) => ['restCall', 'invocation', 'writeUnit'].includes(price);

/** The facts about cost, each reckoned from the template, the measurements and the price list. */
export const costFacts = (template: Template): Facts => {
  const month = () => fixedCosts(template);
  const typical = () => requestCosts(typicalOperation, template);
  return {
    'prices-as-of': () => pricesAsOf,
    'cost-region': () => stageRegion,
    'fixed-cost': () => itemTable(month(), 'a month'),
    'fixed-cost-total': () => dollars(totalIn(stageRegion, month())),
    'fixed-cost-verdict': () => verdict(totalIn(stageRegion, month()), goals.month),
    'fixed-cost-goal': () => dollars(goals.month),
    'request-cost': () => itemTable(typical(), 'a million'),
    'request-cost-operation': () => typicalOperation,
    'request-cost-total': () => dollars(totalIn(stageRegion, typical())),
    'request-cost-goal': () => dollars(goals.millionRequests),
    'request-cost-verdicts': () => requestVerdicts(template),
    'chain-cost-verdict': () => `${verdict(totalIn('us-east-1', chainCosts(template)), goals.millionRequests)}`,
    'cost-levers': () => leverTable(template),
    'request-cost-floor': () =>
      dollars(
        totalIn(
          stageRegion,
          typical().filter(({ price }) => isFloor(price)),
        ),
      ),
    'request-cost-reads': () =>
      dollars(
        totalIn(
          stageRegion,
          typical().filter(({ price }) => price === 'readUnit'),
        ),
      ),
    'log-query-price': () => amountOf(priceList.logQuery.amounts[stageRegion]),
    'operation-costs': () => operationTable(template),
    'other-resources': () => otherResourceTable(template),
    'price-list': priceTable,
  };
};
