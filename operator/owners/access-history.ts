import * as z from 'zod';
import type { ProblemCode } from '../../lambdas/api/problems.ts';
import { type AuditPosition, type AuditRow, readAuditLog } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type AuditEntry, auditEntry, presentAuditRow } from './audit-entry.ts';

/** What can refuse a company, and the problems with which it does. */
const refusedBy = {
  state: ['company-suspended'],
  addresses: ['source-address-not-allowed'],
  keys: ['api-key-expired', 'api-key-read-only'],
  contract: ['contract-not-active', 'contract-not-found', 'user-id-mismatch'],
  consent: ['consent-outdated'],
  grants: ['gateway-not-in-contract'],
} as const satisfies Readonly<Record<string, readonly ProblemCode[]>>;

type Subject = keyof typeof refusedBy;

const subjects = Object.keys(refusedBy) as Subject[];

export const accessSubject = z.strictObject({
  subject: z.enum(subjects),
  /** Null if the audit rows that were read have none. */
  lastChange: auditEntry.nullable(),
  /** The first refusal of the period because of it. */
  firstRefusal: z.iso.datetime().nullable(),
});

type AccessSubject = z.output<typeof accessSubject>;

type LastChanges = Readonly<Partial<Record<Subject, AuditRow>>>;

/**
 * The number of pages of the audit log that are read. Most rows are changes of homes, so a change of a busy company may be
 * further back.
 */
const maxPages = 5;
const pageRows = 1000;

/**
 * Reads the last change of each thing that can refuse a company, the newest rows first. `readSince` is the time of the oldest
 * row that was read; null if the whole audit log of the company was read, or all changes were found.
 */
export const readLastChanges = async (
  store: Store,
  companyId: string,
): Promise<{ readonly changes: LastChanges; readonly readSince: string | null }> => {
  const changes: Partial<Record<Subject, AuditRow>> = {};
  let [after, readSince]: [AuditPosition | undefined, string | null] = [undefined, null];
  for (let page = 0; page < maxPages; page++) {
    const { rows, next } = await readAuditLog(store, { by: 'company', id: companyId }, pageRows, after);
    for (const row of rows) for (const subject of subjectsOf(row)) changes[subject] ??= row;
    if (next === undefined || subjects.every((subject) => changes[subject])) return { changes, readSince: null };
    [after, readSince] = [next, rows.at(-1)?.at ?? readSince];
  }
  return { changes, readSince };
};

/** Returns what a change concerns, of all that can refuse. */
const subjectsOf = ({ operation, gatewayId, userId, webhookId, keyId, after = {} }: AuditRow): readonly Subject[] => {
  // The row of an onboarding has the company with its first key.
  if (operation === 'company onboard' && keyId !== undefined) return ['state', 'addresses', 'keys'];
  if (gatewayId !== undefined) return 'isGranted' in after ? ['grants'] : [];
  if (webhookId !== undefined) return [];
  if (keyId !== undefined) return ['keys'];
  const named: readonly (readonly [string, Subject])[] =
    userId === undefined
      ? [
          ['state', 'state'],
          ['allowedCidrs', 'addresses'],
        ]
      : [
          ['state', 'contract'],
          ['acceptedConsentVersion', 'consent'],
        ];
  return named.filter(([name]) => name in after).map(([, subject]) => subject);
};

/** Returns each thing that can refuse, with its last change beside its first refusal. */
export const accessSubjects = (
  changes: LastChanges,
  refusals: readonly { readonly reason: string; readonly first: string }[],
): AccessSubject[] =>
  subjects.map((subject) => {
    const change = changes[subject];
    const codes: readonly string[] = refusedBy[subject];
    const firsts = refusals.filter(({ reason }) => codes.includes(reason)).map(({ first }) => first);
    return {
      subject,
      lastChange: change ? presentAuditRow(change) : null,
      firstRefusal: firsts.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null,
    };
  });

/** Returns who made a change: an operator, without the ARN of the session, a key, or the portal. */
const actorOf = ({ operator, actorKeyId, operation }: AuditEntry): string =>
  operator?.replace(/^arn:.*\//, '') ?? actorKeyId ?? (operation.startsWith('portal.') ? 'portal' : '-');

/** The time of a change; that of its fact if an event reported it. */
const timeOf = ({ at, factAt }: AuditEntry): string => inSeconds(factAt ?? at);

/** Returns a row for a terminal of 100 columns: whole seconds, and the types of events without affixes. */
export const accessRow = ({ subject, lastChange: change, firstRefusal }: AccessSubject) => ({
  subject,
  'last change': change && timeOf(change),
  by: change && shortened(actorOf(change)),
  operation: change?.operation.replace(/^portal\.(.*)\.v\d+$/, '$1'),
  'first refusal': firstRefusal && inSeconds(firstRefusal),
});

const shortened = (name: string): string => (name.length > 20 ? `${name.slice(0, 19)}…` : name);

export const inSeconds = (timestamp: string): string => timestamp.replace(/\.\d+Z$/, 'Z');

/** Returns since when, by whom and why a company is suspended, in words. */
export const suspensionInWords = (access: readonly AccessSubject[], readSince: string | null): string => {
  const change = access.find(({ subject }) => subject === 'state')?.lastChange;
  if (change?.after?.state !== 'suspended')
    return readSince === null ? 'suspended' : `suspended, before ${inSeconds(readSince)}`;
  const why = change.reason === null ? '' : `: ${change.reason}`;
  return `suspended since ${timeOf(change)} by ${actorOf(change)}${why}`;
};
