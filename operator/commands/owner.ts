import * as z from 'zod';
import { defineCommand, idOf } from '../cli/command.ts';
import { changeOutcome } from '../cli/make-change.ts';
import { formatView, type View } from '../cli/output.ts';
import { type KeptLog, keptLog, keptLogs } from '../owners/log-groups.ts';
import { type ErasureCounts, eraseOwner, findErasable } from '../owners/owner-erasure.ts';
import { exportOwner, ownerExport } from '../owners/owner-export.ts';

const userId = { summary: 'the id of the owner, as in the portal', schema: idOf('user') };

export const ownerExportCommand = defineCommand({
  noun: 'owner',
  verb: 'export',
  summary:
    'Show all stored data of an owner: contracts, consent, grants, the state of their gateways, the audit log and events. With -o json, one document for the owner',
  arguments: { userId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Companies: ['Scan'],
      Contracts: ['BatchGetItem', 'GetItem'],
      Appliances: ['Query'],
      'AuditLog/index/byUser': ['Query'],
      'AuditLog/index/byGateway': ['Query'],
      Events: ['Query'],
    },
  },
  output: ownerExport,
  run: async (context, input) => {
    const { store, readStoreTimeMs } = await context.connect();
    const nowMs = await readStoreTimeMs();
    const logs = keptLogs(context.config, nowMs);
    const exported = await exportOwner(store, { userId: input.userId, nowMs, logs });
    const { contracts, grants, changes, events, erasedAt } = exported;
    if ([contracts, grants, changes, events].every(({ length }) => length === 0) && erasedAt === null)
      context.talk(`No table has data of ${input.userId}. Make sure that the id is right.`, 'warning');
    return exported;
  },
  view: ({ userId: id, exportedAt, contracts, grants, gateways, changes, events, erasedAt, logs }) => [
    {
      title: id,
      fields: {
        'exported at': exportedAt,
        'last erased': erasedAt,
        'gateways with state': gateways.length,
        'audit entries': changes.length,
        'events in feeds': events.length,
      },
    },
    {
      title: 'Contracts',
      rows: contracts.map(({ companyId, state, since, consent, gatewayIds, removedAt }) => ({
        company: companyId,
        contract: state,
        since,
        'accepted consent': consent.acceptedVersion,
        gateways: gatewayIds.length,
        'row deleted at': removedAt,
      })),
    },
    {
      title: 'Grants',
      rows: grants.map(({ companyId, gatewayId, isGranted, changedAt }) => ({
        company: companyId,
        gateway: gatewayId,
        grant: isGranted ? 'granted' : 'revoked',
        since: changedAt,
      })),
    },
    ...logsView(logs),
    { text: 'For all data except the logs, add -o json.' },
  ],
});

const erasure = z.strictObject({
  userId: z.string(),
  /** The id that replaces the owner's id in the audit log. `audit list --user` finds the audit rows by it. */
  pseudonym: z.string(),
  outcome: changeOutcome,
  contracts: z.int(),
  grants: z.int(),
  gateways: z.int(),
  events: z.int(),
  changes: z.int(),
  /** Logs that the erasure does not cover, since CloudWatch cannot delete single lines. */
  logs: z.array(keptLog),
});

export const ownerEraseCommand = defineCommand({
  noun: 'owner',
  verb: 'erase',
  summary:
    'Erase an owner at all companies: end contracts, withdraw consent and grants, delete the state of the gateways of the owner (unless another owner has had them since) and the events in feeds, and replace the id in the audit log with a keyed hash; if the command is interrupted, run it again',
  arguments: { userId },
  options: {},
  changes: true,
  shownToCompany: false,
  role: 'privacy',
  confirmedBy: (input) => input.userId,
  requirements: {
    tableActions: {
      Companies: ['BatchGetItem', 'Scan'],
      Contracts: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
      Appliances: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query', 'UpdateItem'],
      'AuditLog/index/byUser': ['Query'],
      'AuditLog/index/byGateway': ['Query'],
      Events: ['Query', 'UpdateItem'],
    },
    serviceActions: ['kms:GenerateMac'],
  },
  output: erasure,
  run: async (context, input) => {
    const { store, pseudonymOf, stackName, readStoreTimeMs } = await context.connect();
    const { userId: id } = input;
    const found = await findErasable(store, { userId: id, pseudonym: await pseudonymOf(id), stackName });
    const logs = keptLogs(context.config, await readStoreTimeMs());
    const output = { userId: id, pseudonym: found.pseudonym, ...found.counts, logs };
    if (Object.values(found.counts).every((count) => count === 0)) {
      if (found.erasedAtMs !== null) {
        context.talk('Nothing to erase.');
        return { ...output, outcome: 'unchanged' as const };
      }
      context.talk(`No table has data of ${id}. Make sure that the id is right: no event from before now will apply.`);
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was changed.');
      return { ...output, outcome: 'would-change' as const };
    }
    await context.confirm(formatView(erasureView({ ...output, outcome: 'would-change' })));
    await eraseOwner(context, found);
    return { ...output, outcome: 'changed' as const };
  },
  view: (output) => erasureView(output),
});

type Erasure = ErasureCounts & {
  readonly userId: string;
  readonly pseudonym: string;
  readonly outcome: string;
  readonly logs: readonly KeptLog[];
};

const erasureView = ({ userId: id, pseudonym, outcome, logs, ...counts }: Erasure): View => [
  {
    title: `${id}: ${outcome}`,
    fields: {
      contracts: counts.contracts,
      'grants of gateways': counts.grants,
      'gateways whose state is deleted': counts.gateways,
      'events in feeds': counts.events,
      'rows of the audit log': counts.changes,
      pseudonym,
    },
  },
  ...logsView(logs),
];

const logsView = (logs: readonly KeptLog[]): View => [
  {
    title: 'Logs that neither an export nor an erasure covers',
    rows: logs.map(({ logGroup, holds, until }) => ({ 'log group': logGroup, until, holds })),
  },
];
