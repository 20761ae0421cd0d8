import * as z from 'zod';
import { type ListedChange, listChangesOpenSince } from '../../lambdas/data/appliances/open-since-index.ts';
import { type AuditContext, auditPut, readAuditSince } from '../../lambdas/data/audit.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { findHead, type Head } from '../../lambdas/data/feed/feed-items.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { nextVersion } from '../../lambdas/domain/appliance.ts';
import { changeOutcome } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../error.ts';
import { stageSubjects } from '../owners/audit-entry.ts';
import { renewFeed } from './events.ts';

export const regionTakeOver = defineCommand({
  noun: 'region',
  verb: 'take-over',
  summary:
    'Prepare the replicas of this region to serve: expire the cursors of all companies, and request all open changes again, with versions above all versions that the former region may have assigned',
  arguments: {},
  options: {},
  changes: true,
  requirements: {
    tableActions: {
      Companies: ['Scan'],
      Events: ['GetItem', 'UpdateItem'],
      Appliances: ['BatchGetItem', 'UpdateItem'],
      'Appliances/index/byOpenSince': ['Query'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: z.strictObject({
    takeovers: z.int(),
    outcome: changeOutcome,
    /** The number of companies whose cursors have expired, or would in a dry run. */
    feeds: z.int(),
    /** The number of changes that were requested again, or would be in a dry run. */
    changes: z.int(),
  }),
  run: async (context) => {
    const { store, stackName } = await context.connect();
    const takeovers = requireTurn(context);
    await refuseIfOvertaken(store, stackName, takeovers);
    const feeds = await listFeeds(store);
    const { changes: open } = await listChangesOpenSince(store, context.nowMs + aheadMs, mostChanges);
    const changes = open.filter(({ version }) => version < nextVersion(0, takeovers));
    const counts = { takeovers, feeds: feeds.length, changes: changes.length };
    if (context.isDryRun) {
      context.talk('A dry run: nothing was changed.');
      return { ...counts, outcome: 'would-change' as const };
    }
    const after = { takeovers, stackName };
    await transact(store, {
      audit: auditPut(store, await context.auditContext(stageSubjects(stackName).takeovers), { after }),
    });
    for (const { companyId, head } of feeds) await renewFeed(store, await context.auditContext(companyId), head);
    for (const change of changes)
      await requestAnew(store, await context.auditContext(stageSubjects(stackName).takeovers), change, takeovers);
    return { ...counts, outcome: 'changed' as const };
  },
  view: ({ takeovers, outcome, feeds, changes }) => [
    { text: `take-over ${takeovers}: ${outcome}; ${feeds} feeds are renewed, ${changes} changes are requested again` },
  ],
});

/** Reads the heads of the feeds that exist in this region. */
const listFeeds = async (store: Store) => {
  const feeds: { readonly companyId: string; readonly head: Head }[] = [];
  for (const { companyId } of await listCompanies(store)) {
    const head = await findHead(store, companyId);
    if (head) feeds.push({ companyId, head });
  }
  return feeds;
};

/** The clock of the former region may have been ahead of this region's. */
const aheadMs = 60_000;

/** The maximum number of open changes. Few changes are open at any time. */
const mostChanges = 1_000_000;

const requireTurn = ({ stage, config: { takeovers } }: OperatorContext): number => {
  if (takeovers !== undefined) return takeovers;
  throw new OperatorError(
    'refused',
    `config/${stage}.json has no number of take-overs: set "takeovers" there, 1 for the first one.`,
  );
};

/** Each take-over of a stage has its own number, across all regions. An interrupted take-over is repeated with its number. */
const refuseIfOvertaken = async (store: Store, stackName: string, takeovers: number): Promise<void> => {
  const rows = await readAuditSince(store, store.tableName('AuditLog'), stageSubjects(stackName).takeovers, 0);
  const made = rows.map(({ after }) => ({ number: Number(after?.takeovers ?? 0), by: after?.stackName }));
  const later = made.find(({ number, by }) => number > takeovers || (number === takeovers && by !== stackName));
  if (!later) return;
  throw new OperatorError(
    'refused',
    `${later.by} has made take-over ${later.number}: set "takeovers" in the configuration of this stage to a larger number.`,
  );
};

/** Requests an open change again, with a version above those of the former region: only the changes in this region apply. */
const requestAnew = async (
  store: Store,
  auditContext: AuditContext,
  { gatewayId, sk, version }: ListedChange,
  takeovers: number,
): Promise<void> => {
  const next = nextVersion(version, takeovers);
  // The condition fails only if the change was fulfilled or replaced meanwhile, in this region.
  await transact(store, {
    item: {
      Update: {
        TableName: store.tableName('Appliances'),
        Key: { gatewayId, sk },
        UpdateExpression: 'SET version = :next',
        ConditionExpression: 'version = :seen AND attribute_exists(desired)',
        ExpressionAttributeValues: { ':next': next, ':seen': version },
      },
    },
    audit: auditPut(store, auditContext, { gatewayId, before: { version }, after: { version: next } }),
  });
};
