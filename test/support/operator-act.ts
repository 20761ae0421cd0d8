import { randomUUID } from 'node:crypto';
import type { AuditContext } from '../../lambdas/data/audit/audit-log.ts';
import { startMs } from './world.ts';

/** An act of the operator upon a company. */
export const operatorActOn = (companyId: string, nowMs: number = startMs): AuditContext => ({
  companyId,
  nowMs,
  requestId: randomUUID(),
  operation: 'test',
  actorKey: null,
});
