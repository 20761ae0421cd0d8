import type { AuditScope } from '../../lambdas/data/audit/audit-reading.ts';

const fields = { company: 'companyId', user: 'userId', gateway: 'gatewayId' } as const;

/** For CloudWatch Logs Insights, over the log group of the stack's functions: every request of a scope, reads with the changes. */
export const requestsQuery = ({ by, id }: AuditScope): string =>
  `fields @timestamp, companyId, keyId, userId, gatewayId, operation, path, decision, status, requestId
| filter ${fields[by]} = "${id}"
| sort @timestamp desc
| limit 1000`;
