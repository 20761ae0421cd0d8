import { inserts } from '../../partner/site/inserts.ts';
import { allLimitsTable } from '../../partner/site/limits.ts';
import { costFacts } from './cost.ts';
import { exampleTemplate } from './example-template.ts';
import { decisionIndex } from './facts/decisions.ts';
import { noticeDayList } from './facts/notices.ts';
import { operationTable, ratePolicyNumbers } from './facts/operations.ts';
import { proofTables } from './facts/proofs.ts';
import { chainDiagram } from './facts/request-chain.ts';
import { seamFacts } from './facts/seams.ts';
import { tableDiagram } from './facts/tables.ts';
import type { Facts } from './marked-facts.ts';
import { scaleFacts } from './scale.ts';

/** The facts that Markdown files restate, by the name in `<!-- generated: name -->`. */
export const allFacts = (): Facts => ({
  operations: operationTable,
  'rate-policies': ratePolicyNumbers,
  limits: allLimitsTable,
  'key-lifetime': inserts['key-lifetime'],
  'max-valid-keys': inserts['max-valid-keys'],
  'idempotency-period': inserts['idempotency-period'],
  'notice-days': noticeDayList,
  'request-chain': chainDiagram,
  tables: tableDiagram,
  decisions: decisionIndex,
  proofs: proofTables,
  ...seamFacts,
  ...costFacts(exampleTemplate()),
  ...scaleFacts(exampleTemplate()),
});
