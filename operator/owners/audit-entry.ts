import * as z from 'zod';
import type { AuditRow, AuditTargetIds } from '../../lambdas/data/audit.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

/** Returns the partitions of AuditLog for acts that concern no single company. Each is used instead of a company's id. */
export const stageSubjects = (stackName: string) => ({
  /** Acts on whole tables. */
  tables: stackName,
  /** Acts on messages. */
  queues: `${stackName}/queues`,
  erasures: `${stackName}/erasures`,
});

const values = z.record(z.string(), z.unknown()).nullable();

const id = z.string().nullable();

/** The ids of the changed item. */
const targetIds = {
  keyId: id,
  webhookId: id,
  gatewayId: id,
  family: id,
  circuitId: id,
  timeProgramId: id,
  /** The type of an event that was sent by hand, or of a dead letter. */
  eventType: id,
  eventId: id,
  queue: id,
  messageId: id,
  /** The sort key of a row that a restore has put back. */
  row: id,
} satisfies Record<keyof AuditTargetIds, typeof id>;

export const targetIdNames = Object.keys(targetIds) as (keyof AuditTargetIds)[];

/** An audit row as the output shows it. */
export const auditEntry = z.strictObject({
  at: z.iso.datetime(),
  /** When the fact happened, if an event reported it: the event may have arrived later. */
  factAt: z.iso.datetime().nullable(),
  operation: z.string(),
  companyId: z.string(),
  /** The person who acted as operator; null if a company acted with the key `actorKeyId`. */
  operator: z.string().nullable(),
  actorKeyId: z.string().nullable(),
  reason: z.string().nullable(),
  userId: z.string().nullable(),
  ...targetIds,
  before: values,
  after: values,
  requestId: z.string(),
});

export type AuditEntry = z.output<typeof auditEntry>;

export const presentAuditRow = (row: AuditRow): AuditEntry => ({
  at: row.at,
  factAt: row.factAt ?? null,
  operation: row.operation,
  companyId: row.subject,
  operator: row.operator ?? null,
  actorKeyId: row.actorKeyId,
  reason: row.reason ?? null,
  userId: row.userId ?? null,
  ...(Object.fromEntries(targetIdNames.map((name) => [name, row[name] ?? null])) as Pick<
    AuditEntry,
    keyof AuditTargetIds
  >),
  before: withTimestamps(row.before),
  after: withTimestamps(row.after),
  requestId: row.requestId,
});

/** Converts stored milliseconds, whose names end in `Ms`, to timestamps, and removes `Ms` from the names. */
export const withTimestamps = (changed: AuditRow['before']): AuditEntry['before'] =>
  changed === undefined ? null : (readable(changed) as AuditEntry['before']);

const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/Ms$/, ''),
      name.endsWith('Ms') && typeof each === 'number' ? toTimestamp(each) : readable(each),
    ]),
  );
};
