import * as z from 'zod';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { findHead, type Head, renewal } from '../../lambdas/data/feed/feed-items.ts';
import { readViewersOf } from '../../lambdas/data/feed/viewers.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { isWhole, withheldBecause } from '../../lambdas/domain/feed-event.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { companyId, defineCommand, limitOption } from '../cli/command.ts';
import { changeOutcome } from '../cli/make-change.ts';
import { requireCompany } from '../companies/contract.ts';
import { readNewestEvents } from '../companies/newest-events.ts';
import { OperatorError } from '../error.ts';

export const eventsList = defineCommand({
  noun: 'events',
  verb: 'list',
  summary: 'List the newest events in the feed of a company, newest first, and why each event would be withheld now',
  arguments: { companyId },
  options: {
    limit: limitOption(100, 20),
  },
  changes: false,
  requirements: {
    tableActions: { Events: ['Query'], Companies: ['GetItem'], Contracts: ['BatchGetItem'] },
  },
  output: z.strictObject({
    companyId: z.string(),
    events: z.array(
      z.strictObject({
        seq: z.int(),
        id: z.string(),
        /** Null, like `at`, `gatewayId` and `resource`, if only the id of the event is stored. */
        type: z.string().nullable(),
        at: z.iso.datetime().nullable(),
        gatewayId: z.string().nullable(),
        resource: z.string().nullable(),
        /** Why the company does not see the event; null if it does. */
        withheldBecause: z.string().nullable(),
      }),
    ),
  }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    await requireCompany(store, input.companyId);
    const newest = await readNewestEvents(store, input.companyId, input.limit);
    const stored = newest.map(({ event }) => event);
    const viewerOf = await readViewersOf(store, input.companyId, config.consent.requiredVersion, stored);
    const events = newest.map(({ seq, event }) => ({
      seq,
      id: event.id,
      ...(isWhole(event)
        ? {
            type: event.type,
            at: toTimestamp(event.atMs),
            gatewayId: event.gatewayId ?? null,
            resource: event.resource,
          }
        : { type: null, at: null, gatewayId: null, resource: null }),
      withheldBecause: withheldBecause(viewerOf(event), event) ?? null,
    }));
    return { companyId: input.companyId, events };
  },
  view: ({ companyId: id, events }) => [
    {
      title: id,
      rows: events.map(({ seq, at, type, resource, withheldBecause: because }) => ({
        seq,
        at,
        type,
        resource,
        withheld: because,
      })),
      ifEmpty: 'no events',
    },
  ],
});

export const eventsRenew = defineCommand({
  noun: 'events',
  verb: 'renew',
  summary:
    'Expire all cursors of a company after a loss of events, so that its clients read the state again and continue after the earlier events',
  arguments: { companyId },
  options: {},
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: { Events: ['GetItem', 'UpdateItem'], Companies: ['GetItem'], AuditLog: ['PutItem'] },
  },
  output: z.strictObject({
    companyId: z.string(),
    outcome: changeOutcome,
  }),
  run: async (context, input) => {
    const { store } = await context.connect();
    await requireCompany(store, input.companyId);
    const head = await findHead(store, input.companyId);
    if (!head) {
      context.talk('The feed does not exist yet: there is no cursor.');
      return { ...input, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was changed.');
      return { ...input, outcome: 'would-change' as const };
    }
    if (!(await renewFeed(store, await context.auditContext(input.companyId), head)))
      throw new OperatorError('conflict', 'Another caller has renewed the feed at the same time.');
    return { ...input, outcome: 'changed' as const };
  },
  view: ({ companyId: id, outcome }) => [{ text: `${id}: ${outcome}` }],
});

/** Begins another epoch of a company's feed, with an audit row. Resolves to false if the head has changed since it was read. */
const renewFeed = async (store: Store, auditContext: AuditContext, head: Head): Promise<boolean> => {
  const failed = await transact(store, {
    head: renewal(store, auditContext.companyId, head),
    audit: auditPut(store, auditContext, {}),
  });
  return failed === undefined;
};
