import { consumers } from '../../lambdas/api/background-functions.ts';
import { pollIntervalSeconds } from '../../lambdas/api/limits.ts';
import { backgroundCost } from './background-cost.ts';
import { partition } from './capacity.ts';
import { dollars, functionMegabytes, prices, requestCosts, totalOf } from './cost.ts';
import type { Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';

/** The load that docs/outgrowing.md is about. A gateway that reports what changes does so about once an hour. */
const load = { partners: 10_000, webhooks: 30_000, gateways: 10_000_000, reportsADay: 24 } as const;

const secondsOfDay = 86_400;
const daysOfMonth = 30;

/** The passages about a load that is far beyond today's, each reckoned from the code and the prices of today. */
export const outgrowingPassages = (template: Template): Passages => {
  const polls = load.partners / pollIntervalSeconds;
  const pollCost = totalOf(requestCosts('listEvents', template));
  const eventCost = backgroundCost('an event of a feed', template);
  const millionsAMonth = (aSecond: number) => (aSecond * secondsOfDay * daysOfMonth) / 1e6;
  const reports = (load.gateways * load.reportsADay) / secondsOfDay;
  const { batchSize, maxConcurrency } = consumers.sendPoke;
  return {
    'outgrown-polls': () => `${whole(load.partners)} / ${pollIntervalSeconds} s = ${whole(polls)}`,
    'outgrown-polls-cost': () => rounded(millionsAMonth(polls) * pollCost),
    'outgrown-reports': () =>
      `${whole(load.gateways)} × ${load.reportsADay} / ${whole(secondsOfDay)} s = ${whole(reports)}`,
    'outgrown-events-cost': () => rounded(millionsAMonth(reports) * eventCost),
    'outgrown-webhooks': () => `${maxConcurrency} × ${batchSize} = ${whole(maxConcurrency * batchSize)}`,
    'outgrown-webhooks-cost': () =>
      dollars(0.5 * (functionMegabytes(template) / 1024) * prices.gigabyteSecond.each * 1e6),
    'outgrown-webhooks-due': () => `${whole(load.webhooks)} / 60 s = ${whole(load.webhooks / 60)}`,
    'outgrown-partition-writes': () => whole(partition.writeUnits),
  };
};

const whole = (value: number): string => Math.floor(value).toLocaleString('en-US');
const rounded = (dollars: number): string => `$${Number(dollars.toPrecision(2)).toLocaleString('en-US')}`;
