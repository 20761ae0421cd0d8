import { loadStageConfig } from '../../../config/load.ts';
import { chainCapacity } from '../../../lambdas/api/limits.ts';
import { maxEventBytes } from '../../../lambdas/data/event-log.ts';
import { tableOf } from '../../../partner/site/markdown.ts';
import type { Template } from '../cost/example-template.ts';
import type { CostItem } from '../cost/fixed-cost.ts';
import { bucketReadUnits, companyPartitionReads } from '../cost/measurements.ts';
import { type PriceName, pricedRegions, priceList } from '../cost/price-list.ts';
import { requestCosts } from '../cost/request-cost.ts';
import { typicalOperation } from './cost-goals.ts';

const [region] = pricedRegions;
const amountOf = (price: PriceName): number => priceList[price].amounts[region];

const shorterRetentionDays = 90;

type Lever = { readonly lever: string; readonly saves: number; readonly state: string };

/** What a million requests would cost less, in US dollars; the sentence says why a lever was pulled or not. */
const leversOf = (template: Template): Lever[] => {
  const items = requestCosts(typicalOperation, template);
  const unitsOf = (price: PriceName) => items.find((item: CostItem) => item.price === price)?.units ?? 0;
  const { logRetentionDays } = loadStageConfig('example');
  const standardAccessLog = unitsOf('infrequentLogIngestion') * amountOf('logIngestion');
  const strongReads = companyPartitionReads.ApiKeys + companyPartitionReads.Contracts;
  return [
    {
      lever: 'The access log in the class Infrequent Access',
      saves: standardAccessLog - unitsOf('infrequentLogIngestion') * amountOf('infrequentLogIngestion'),
      state: 'pulled: only queries read it; the class of a group cannot be changed later without losing the group',
    },
    {
      lever: 'Events as long as measured, not as long as allowed',
      saves: ((maxEventBytes * 1e6) / 1024 ** 3 - unitsOf('logIngestion')) * amountOf('logIngestion'),
      state: 'done; the earlier reckoning was too high',
    },
    {
      lever: 'Half the memory',
      saves: (unitsOf('gigabyteSecond') / 2) * amountOf('gigabyteSecond'),
      state:
        'not pulled: it halves the processor, too, and saves this only if the duration stays. Ask `latency-by-operation` and `memory-by-operation` on AWS, halve, ask again',
    },
    {
      lever: `\`logRetentionDays\` of ${shorterRetentionDays} instead of ${logRetentionDays}`,
      saves: unitsOf('logStorage') * (1 - shorterRetentionDays / logRetentionDays) * amountOf('logStorage'),
      state: 'the operator decides, in `config/<stage>.json`',
    },
    {
      lever: 'No read of the bucket before its write',
      saves: bucketReadUnits * amountOf('readUnit'),
      state: `not pulled: each refused request would cost a write, ${(amountOf('writeUnit') * chainCapacity.writeUnits) / (bucketReadUnits * amountOf('readUnit'))} times as much`,
    },
    {
      lever: 'Eventually consistent reads of key, contract and grant',
      saves: (strongReads / 2) * amountOf('readUnit'),
      state: 'not pulled: a deleted key would work for a moment',
    },
  ];
};

export const leverTable = (template: Template): string =>
  tableOf(
    ['lever', `a million requests, ${region}`, 'state'],
    leversOf(template).map(({ lever, saves, state }) => [lever, `−$${saves.toFixed(2)}`, state]),
  );
