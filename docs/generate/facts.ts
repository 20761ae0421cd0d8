import { maxMetricSeries } from '../../lambdas/api/metrics.ts';
import { inserts } from '../../partner/site/inserts.ts';
import { allLimitsTable } from '../../partner/site/limits.ts';
import { costTable } from './facts/cost.ts';
import { decisionIndex } from './facts/decisions.ts';
import { noticeDayList } from './facts/notices.ts';
import { operationTable, ratePolicyNumbers } from './facts/operations.ts';
import { chainDiagram } from './facts/request-chain.ts';
import { tableDiagram } from './facts/tables.ts';
import type { Facts } from './marked-facts.ts';

/** The facts that Markdown files restate, by the name in `<!-- generated: name -->`. */
export const facts: Facts = {
  operations: operationTable,
  'rate-policies': ratePolicyNumbers,
  limits: allLimitsTable,
  'key-lifetime': inserts['key-lifetime'],
  'max-valid-keys': inserts['max-valid-keys'],
  'idempotency-period': inserts['idempotency-period'],
  'notice-days': noticeDayList,
  'request-chain': chainDiagram,
  tables: tableDiagram,
  cost: costTable,
  'metric-series': () => String(maxMetricSeries),
  decisions: decisionIndex,
};
