import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type RequestEvent, requestFields } from '../../lambdas/api/events/request-event.ts';
import type { Connection } from '../connection/connection.ts';

/** Looser than the events' own schema: an older version may have written the line. */
type FieldsOfRequest = { readonly [Name in keyof RequestEvent]?: z.ZodType };

/** A request that a function refused, or failed at, as its log line tells it. */
export const refusal = z.strictObject({
  timestamp: z.iso.datetime(),
  operation: z.string(),
  reason: z.string(),
  status: z.int(),
  keyId: z.string().optional(),
  requestId: z.string(),
} satisfies FieldsOfRequest);

export type Refusal = z.output<typeof refusal>;

const { operation, reason, status, keyId, requestId } = requestFields;

/** A query for CloudWatch Logs Insights, over the log group of the stack's functions. */
export const refusalsQuery = (companyId: string): string =>
  `fields @timestamp, ${[operation, reason, status, keyId, requestId].join(', ')}
| filter ${requestFields.companyId} = "${companyId}" and ispresent(${reason})
| sort @timestamp desc
| limit 20`;

const shownRefusals = 10;

const logLine = z.object({ ...refusal.shape, companyId: z.string() } satisfies FieldsOfRequest);

/** The last ones, newest first; undefined if the log lines are not files of this machine. */
export const readRefusals = ({ logsDirectory, stackName }: Connection, companyId: string): Refusal[] | undefined =>
  logsDirectory === undefined
    ? undefined
    : readdirSync(logsDirectory)
        .filter((file) => file.startsWith(`${stackName}-`))
        .flatMap((file) => readFileSync(join(logsDirectory, file), 'utf8').split('\n'))
        .flatMap((line) => refusalIn(line, companyId))
        .sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1))
        .slice(0, shownRefusals);

/** Reads a refusal from a line; undefined if it is no event, or tells of another company or of an allowed request. */
const refusalIn = (line: string, companyId: string): Refusal[] => {
  if (!line.startsWith('{')) return [];
  const { data } = logLine.safeParse(JSON.parse(line));
  if (data?.companyId !== companyId) return [];
  const { companyId: _, ...shown } = data;
  return [shown];
};
