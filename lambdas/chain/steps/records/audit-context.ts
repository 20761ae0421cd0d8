import type { Step } from '../step.ts';

/** Says what puts a change of this request on record: who makes it, when, for whom and through what. */
export const auditContext: Step<'auditContext'> =
  ({ operationId, onBehalfOfUser }) =>
  ({ key, contract, requestId, nowMs }) => ({
    auditContext: {
      companyId: key.companyId,
      nowMs,
      requestId,
      operation: operationId,
      actorKey: key,
      userId: onBehalfOfUser ? contract.userId : undefined,
    },
  });
