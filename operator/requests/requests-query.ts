import { requestFields } from '../../lambdas/api/events/request-event.ts';
import type { AuditScope } from '../../lambdas/data/audit/audit-reading.ts';

const { companyId, keyId, userId, gatewayId, operation, path, decision, status, requestId } = requestFields;

const shown = [companyId, keyId, userId, gatewayId, operation, path, decision, status, requestId];
const fieldOf = { company: companyId, user: userId, gateway: gatewayId } as const;

/** A query for CloudWatch Logs Insights, over the log group of the stack's functions: every request of a scope, reads with the changes. */
export const requestsQuery = ({ by, id }: AuditScope): string =>
  `fields @timestamp, ${shown.join(', ')}
| filter ${fieldOf[by]} = "${id}"
| sort @timestamp desc
| limit 1000`;
