import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import type { Decision } from '../../lambdas/api/metrics.ts';
import type { TableAction } from '../../lambdas/api/tables.ts';

/** Returns a filter on the decision in the language of CloudWatch Logs Insights. */
export const isDecision = (decision: Decision, operator: '=' | '!=' = '='): string =>
  `${requestFields.decision} ${operator} "${decision}"`;

/** Returns the field with the duration of a request's first store command of this kind, in milliseconds. */
export const timeOfFirst = (command: TableAction | 'TransactWriteItems'): string =>
  `${requestFields.storeMs}.${command}.0`;
