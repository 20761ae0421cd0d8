import { loadStageConfig } from '../../config/load.ts';
import {
  attemptDays,
  energyDays,
  feedDays,
  hourlyEnergyDays,
  idempotencyHours,
  measurementDays,
  usageDays,
} from '../../lambdas/api/limits.ts';
import { archivedDays, lateDays, messageRetentionDays } from '../../lambdas/api/queues.ts';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import { permissionsOfRole, roles } from '../../operator/cli/roles.ts';
import { commands } from '../../operator/commands.ts';
import type { StageQueue } from '../../operator/integrations/integrations.ts';
import { type KeptLog, logGroups } from '../../operator/owners/log-groups.ts';
import { tableOf } from '../../partner/site/markdown.ts';
import type { Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';

/** The data of owners that a place holds. */
type Kept = {
  readonly what: string;
  readonly until: string;
  /** What an export contains and an erasure removes; `nothing` if the place holds no data of owners. */
  readonly exported: string;
  readonly erased: string;
};

const noOwnerData = { exported: '—', erased: '—' } as const;

/** DynamoDB's recovery period, in days, if a table sets no other. */
const recoveryDays = 35;

/** One row per table. The compiler requires a row for a new table. */
const dataOfTables: Readonly<Record<TableName, Kept>> = {
  ApiKeys: { what: 'no owner data: hashes of keys, by company', until: 'its company deletes the key', ...noOwnerData },
  Companies: { what: 'no owner data: partners, their addresses', until: 'permanently', ...noOwnerData },
  Contracts: {
    what: 'the id of the owner, the companies of the owner’s contracts, each consent with its time, the granted gateways',
    until: 'an erasure; the time of the erasure for as long as late events may arrive',
    exported: 'contracts',
    erased: `all except the id and the time of the erasure, which no partner can read and which are deleted after ${lateDays} days`,
  },
  TokenBuckets: { what: 'ids of gateways, in paths', until: 'the bucket is full again: minutes', ...noOwnerData },
  Appliances: {
    what: 'the state of gateways and their faults, circuits, time programs and holidays, with the names that people gave them, the newest measurements, and the energy of each day and hour, by the id of the gateway; which owner has granted a gateway to a company, and when the owner withdrew the grant',
    until: `the gateway is removed, or an erasure; energy by day ${energyDays} days, by hour ${hourlyEnergyDays} days; measurements ${measurementDays} days`,
    exported: 'gateways that the owner grants at the time of the export; grants',
    erased: 'the state of gateways that no other owner has or had later; the owner of all grants',
  },
  AuditLog: {
    what: 'the id of the owner whom the change concerns, the old and the new value, the actor and the reason',
    until: 'permanently: the log proves who changed what in a home',
    exported: 'changes',
    erased:
      'the id is replaced by a keyed hash; the action, its gateway, its actor and its time are kept, and without the gateway the company can still read them',
  },
  KeyNotices: { what: 'no owner data', until: 'two months', ...noOwnerData },
  IdempotencyRecords: { what: 'no owner data', until: `${idempotencyHours} hours`, ...noOwnerData },
  Events: {
    what: 'events for companies: the id of the owner, the gateway, and the change',
    until: `${feedDays + 1} days; less than a day after the owner withdraws access`,
    exported: 'events',
    erased: `all except events that report the end of a grant, a consent or a contract, which the company needs: ${feedDays + 1} days`,
  },
  Webhooks: {
    what: 'no owner data: a message says that there are new events',
    until: 'its company deletes it',
    ...noOwnerData,
  },
  WebhookAttempts: {
    what: 'no owner data: when a message was sent, and the status of the response',
    until: `${attemptDays} days`,
    ...noOwnerData,
  },
  Usage: {
    what: 'the number of a company’s calls by hour, operation and key; the most limited paths, with ids of gateways',
    until: `${usageDays + 1} days`,
    exported: 'no: it counts requests of a company',
    erased: 'no: it contains no id of an owner, and ids of gateways only until their hour is deleted',
  },
};

const messages: Kept = {
  what: 'messages in transit, with ids of owners or gateways',
  until: `they are processed, ${messageRetentionDays} days at most`,
  exported: 'no',
  erased: 'no: an event of the portal from before an erasure has no effect',
};

/** The data of owners in queues. */
const dataOfQueues: Readonly<Record<StageQueue, Kept>> = {
  portalEvents: messages,
  'portalEvents/deadLetters': messages,
  gatewayReports: messages,
  'gatewayReports/deadLetters': messages,
  requestedChanges: messages,
  'requestedChanges/deadLetters': messages,
  webhookMessages: { ...messages, what: 'no owner data: ids of webhooks', ...noOwnerData },
  undelivered: messages,
  relayFailures: { ...messages, what: 'the position of an unreadable record in a stream' },
  feedFailures: { ...messages, what: 'the position of an unreadable record in a stream, or the record itself' },
};

/** The data of owners in log groups, which the operator’s program lists too. */
const dataOfLogGroups: Readonly<Record<string, Pick<KeptLog, 'holds'>>> = logGroups;

/** The data of owners in archives of event buses. */
const dataOfArchives: Readonly<Record<string, string>> = {
  IntegrationsPortalBusArchive: 'events of the portal, with the ids of owners',
  NoticesBusArchive: 'no owner data: notices about keys and webhooks',
};

/** The passages of the page about personal data. */
export const personalDataPassages = (template: Template): Passages => ({
  'personal-data-places': () => placesTable(template),
  'erased-days': () => `${lateDays} days`,
  'recovery-days': () => `${recoveryDays} days`,
  'archived-days': () => `${archivedDays} days`,
  'feed-row-days': () => `${feedDays + 1} days`,
});

/** Returns a table of all places in the template. Throws if a place has no row above. */
const placesTable = (template: Template): string => {
  const { logRetentionDays } = loadStageConfig('example');
  const logsKept = `\`logRetentionDays\` of the stage; ${logRetentionDays} days in \`config/example.json\``;
  const archivesKept = `${archivedDays} days`;
  const noErasure = 'no';
  return tableOf(
    ['place', 'owner data', 'until', 'read by', 'in an export', 'erased'],
    [
      ...namesIn(template, 'AWS::DynamoDB::GlobalTable').map((name) => {
        const { what, until, exported, erased } = rowFor(dataOfTables, name);
        const isBackedUp = !('isDisposable' in tables[name as TableName]);
        const later = isBackedUp && erased !== noOwnerData.erased ? `; in backups ${recoveryDays} days longer` : '';
        return [`table \`${name}\``, what, until + later, readersOf(name), exported, erased];
      }),
      ...Object.entries(dataOfQueues).map(([name, { what, until, exported, erased }]) => [
        `queue \`${name}\``,
        ...[what, until, readersOf(name), exported, erased],
      ]),
      ...namesIn(template, 'AWS::Logs::LogGroup').map((name) => [
        `log group \`${name}\``,
        rowFor(dataOfLogGroups, name).holds,
        logsKept,
        'everyone who may query logs of the account',
        'no',
        noErasure,
      ]),
      ...namesIn(template, 'AWS::Events::Archive').map((name) => [
        `archive \`${name}\``,
        rowFor(dataOfArchives, name),
        archivesKept,
        'everyone who may replay it',
        'no',
        noErasure,
      ]),
    ],
  );
};

const rowFor = <Row>(rows: Readonly<Record<string, Row>>, name: string): Row => {
  const row = rows[name];
  if (row !== undefined) return row;
  throw new Error(
    `docs/generate/personal-data.ts has no row for ${name}. Add which owner data it holds, and until when.`,
  );
};

/** Returns the logical names of the resources of a type, without their hashes. */
const namesIn = ({ Resources }: Template, type: string): string[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([logicalId]) => logicalId.replace(/[0-9A-F]{8}$/, ''));

const reads: readonly string[] = ['BatchGetItem', 'GetItem', 'Query', 'ReceiveMessage', 'Scan'];

/** Returns the readers of a place: the functions, and the roles of operators that may read it. */
const readersOf = (place: string): string => {
  const readers = roles.filter((role) => {
    const { tableActions, queueActions } = permissionsOfRole(role, commands);
    return [...(tableActions[place] ?? []), ...(queueActions[place] ?? [])].some((action) => reads.includes(action));
  });
  return ['functions', ...readers].join(', ');
};
