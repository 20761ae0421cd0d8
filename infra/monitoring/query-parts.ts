import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import type { Decision } from '../../lambdas/api/metrics.ts';
import type { TableAction } from '../../lambdas/api/tables.ts';

/** Parts of queries in the language of CloudWatch Logs Insights. */

export const isDecision = (decision: Decision, operator: '=' | '!=' = '='): string =>
  `${requestFields.decision} ${operator} "${decision}"`;

/** What the first store command of its kind took in a request. */
export const timeOfFirst = (command: TableAction | 'TransactWriteItems'): string =>
  `${requestFields.storeMs}.${command}.0`;
