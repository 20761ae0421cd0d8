import * as z from 'zod';
import type { StageConfig } from '../../config/schema.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

/** The data on owners in each log group of a stage, by its logical name. */
export const logGroups = {
  RequestLog: {
    holds: 'each request: the owner id in `x-user-id`, and the path, which contains the gateway id',
    isOfOwners: true,
  },
  AccessLog: {
    holds: 'no owner data: each request at API Gateway, with its path pattern and the address of the partner',
    isOfOwners: false,
  },
  JobLog: { holds: 'no owner data: counts', isOfOwners: false },
  ConsumerLog: {
    holds: 'each message: the id of its company or gateway, no owner id',
    isOfOwners: true,
  },
} as const satisfies Readonly<Record<string, { readonly holds: string; readonly isOfOwners: boolean }>>;

/** The data on an owner that remains in a log group, and when it expires. */
export const keptLog = z.strictObject({
  logGroup: z.string().describe('The log group of CloudWatch, by its logical name in the stack.'),
  holds: z.string().describe('The data of the owner in its lines.'),
  until: z.iso
    .datetime()
    .describe('When a line written now expires. CloudWatch deletes expired lines, usually within three days.'),
});

export type KeptLog = z.output<typeof keptLog>;

/** The log groups with data on owners. An export does not show their lines, and an erasure does not delete them. */
export const keptLogs = ({ logRetentionDays }: Pick<StageConfig, 'logRetentionDays'>, nowMs: number): KeptLog[] =>
  Object.entries(logGroups).flatMap(([logGroup, { holds, isOfOwners }]) =>
    isOfOwners ? [{ logGroup, holds, until: toTimestamp(nowMs + logRetentionDays * 86_400_000) }] : [],
  );
