import { consumers } from '../../lambdas/api/background-functions.ts';
import { pollIntervalSeconds } from '../../lambdas/api/limits.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import { backgroundCost } from './background-cost.ts';
import { partition } from './capacity.ts';
import {
  cellCount,
  cellPlan,
  cellsOfHome,
  demands,
  fullestCell,
  logBytesOfDay,
  newTableRequests,
  requestCostAtVolume,
  restCallCost,
  totalLoad,
} from './cells.ts';
import { fixedCosts, requestCosts, typicalOperation } from './cost.ts';
import type { Template } from './example-template.ts';
import { functionMegabytes } from './function-memory.ts';
import type { Passages } from './marked-passages.ts';
import { dollars, prices, totalOf } from './prices.ts';

/** The load that docs/outgrowing.md describes. A gateway that reports changes does so about once an hour. */
const load = { partners: 10_000, webhooks: 30_000, gateways: 10_000_000, reportsADay: 24 } as const;

const secondsOfDay = 86_400;
const daysOfMonth = 30;

/** The passages about a load far beyond today's, calculated from today's code and prices. */
export const outgrowingPassages = (template: Template): Passages => {
  const polls = load.partners / pollIntervalSeconds;
  const pollCost = totalOf(requestCosts('listEvents', template));
  const eventCost = backgroundCost('an event of a feed', template);
  const reports = (load.gateways * load.reportsADay) / secondsOfDay;
  const { batchSize, maxConcurrency } = consumers.sendWebhookMessage;
  return {
    'outgrown-polls': () => `${whole(load.partners)} / ${pollIntervalSeconds} s = ${whole(polls)}`,
    'outgrown-polls-cost': () => rounded(requestCostAtVolume(millionsAMonth(polls), pollCost)),
    'outgrown-polls-flat': () => rounded(millionsAMonth(polls) * pollCost),
    'outgrown-reports': () =>
      `${whole(load.gateways)} × ${load.reportsADay} / ${whole(secondsOfDay)} s = ${whole(reports)}`,
    'outgrown-events-cost': () => rounded(millionsAMonth(reports) * eventCost),
    'outgrown-webhooks': () => `${maxConcurrency} × ${batchSize} = ${whole(maxConcurrency * batchSize)}`,
    'outgrown-webhooks-cost': () =>
      dollars(0.5 * (functionMegabytes(template) / 1024) * prices.gigabyteSecond.each * 1e6),
    'outgrown-webhooks-due': () => `${whole(load.webhooks)} / 60 s = ${whole(load.webhooks / 60)}`,
    'outgrown-partition-writes': () => whole(partition.writeUnits),
    ...cellPassages(template),
  };
};

/** The passages about cells, calculated from their model. */
const cellPassages = (template: Template): Passages => {
  const [load, fullest] = [totalLoad(cellPlan), fullestCell(cellPlan)];
  const cells = cellCount(cellPlan);
  const homeCells = cellsOfHome(cellPlan);
  const { partners, companiesOfCell, companiesOfHome, requestsPerSecond } = cellPlan;
  const millions = millionsAMonth(requestsPerSecond);
  const requestCost = totalOf(requestCosts(typicalOperation, template));
  const reportCost = backgroundCost('a report of a circuit, of ten at once', template);
  return {
    'cell-load': () =>
      `${whole(partners)} partners, ${whole(cellPlan.gateways)} homes, ${whole(requestsPerSecond)} requests a second`,
    'cell-count': () => `${whole(partners)} / ${whole(companiesOfCell)} = ${cells}`,
    'cell-companies': () => whole(companiesOfCell),
    'cell-requests': () => whole(fullest.requestsPerSecond),
    'cell-mean-requests': () => whole(requestsPerSecond / cells),
    'cell-new-tables': () => whole(newTableRequests()),
    'cell-company': () => whole(partition.readUnits),
    'cell-homes': () =>
      `${homeCells.toFixed(2)} cells (${companiesOfHome} companies of a home, in any of ${cells} cells)`,
    'cell-reports': () =>
      `${whole(load.reportsPerSecond)} × ${homeCells.toFixed(2)} = ${whole(load.reportsPerSecond * homeCells)}`,
    'cell-slow-executions': () => whole(fullest.requestsPerSecond * 0.5),
    'cell-demands': () =>
      tableOf(
        ['demand', 'default quota', 'one stage', 'the fullest cell'],
        demands.map(({ what, quota, of }) => {
          const [ofOne, ofCell] = [of(load), of(fullest)];
          return [what, whole(quota), ofOne > quota ? `**${whole(ofOne)}**` : whole(ofOne), whole(ofCell)];
        }),
      ),
    'cell-logs': () =>
      `${terabytes(logBytesOfDay(load))} a day, ${gigabytes(logBytesOfDay(fullest))} in the fullest cell`,
    'cell-costs': () =>
      tableOf(
        ['item', 'takes', 'a month'],
        [
          [
            'Calls of API Gateway',
            `${whole(millions)} million; $${whole(millions * prices.restCall.each)} at the first price`,
            rounded(restCallCost(millions)),
          ],
          [
            'Everything else of a request',
            `${dollars(requestCost - prices.restCall.each)} a million`,
            rounded(millions * (requestCost - prices.restCall.each)),
          ],
          [
            'Reports, in batches of ten',
            `${whole(load.reportsPerSecond)} a second, in ${homeCells.toFixed(2)} cells each`,
            rounded(millionsAMonth(load.reportsPerSecond) * homeCells * reportCost),
          ],
          ['Cells without traffic', `${cells} stages`, rounded(cells * totalOf(fixedCosts(template)))],
        ],
      ),
  };
};

const millionsAMonth = (aSecond: number): number => (aSecond * secondsOfDay * daysOfMonth) / 1e6;

const gigabytes = (bytes: number): string => `${whole(bytes / 1024 ** 3)} GB`;
const terabytes = (bytes: number): string => `${(bytes / 1024 ** 4).toFixed(1)} TB`;
const whole = (value: number): string => Math.floor(value).toLocaleString('en-US');
const rounded = (dollars: number): string => `$${Number(dollars.toPrecision(2)).toLocaleString('en-US')}`;
