import * as z from 'zod';
import { readViewer } from '../../lambdas/data/feed/viewer.ts';
import { isWhole } from '../../lambdas/domain/feed/feed-event.ts';
import { withheldBecause } from '../../lambdas/domain/feed/visibility.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { readNewestEvents } from '../feed/newest-events.ts';

const maxEvents = 100;

export const eventsList = defineCommand({
  noun: 'events',
  verb: 'list',
  summary: 'List the newest events in the feed of a company, the last one first, and why each would be withheld now',
  arguments: { companyId },
  options: {
    limit: {
      summary: `at most so many, up to ${maxEvents}`,
      placeholder: 'n',
      schema: z.coerce
        .number('is no number.')
        .int('is no whole number.')
        .min(1, 'is less than 1.')
        .max(maxEvents, `is more than ${maxEvents}.`)
        .default(20),
    },
  },
  changes: false,
  requirements: {
    tableActions: { Events: ['Query'], Contracts: ['GetItem', 'BatchGetItem'] },
  },
  output: z.strictObject({
    companyId: z.string(),
    events: z.array(
      z.strictObject({
        seq: z.int(),
        id: z.string(),
        /** Null, like all that follows, if nothing of the event was recorded. */
        type: z.string().nullable(),
        at: z.iso.datetime().nullable(),
        gatewayId: z.string().nullable(),
        resource: z.string().nullable(),
        /** Null if the company is shown it. */
        withheldBecause: z.string().nullable(),
      }),
    ),
  }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId);
    const newest = await readNewestEvents(store, input.companyId, input.limit);
    const stored = newest.map(({ event }) => event);
    const viewer = await readViewer(store, contract, config.consent.requiredVersion, stored);
    const events = newest.map(({ seq, event }) => ({
      ...{ seq, id: event.id },
      ...(isWhole(event)
        ? {
            type: event.type,
            at: toTimestamp(event.atMs),
            gatewayId: event.gatewayId ?? null,
            resource: event.resource,
          }
        : { type: null, at: null, gatewayId: null, resource: null }),
      withheldBecause: withheldBecause(viewer, event) ?? null,
    }));
    return { companyId: input.companyId, events };
  },
  view: ({ companyId: id, events }) => [
    {
      title: id,
      rows: events.map(({ seq, at, type, resource, withheldBecause: because }) => ({
        ...{ seq, at, type, resource, withheld: because },
      })),
      ifEmpty: 'no events',
    },
  ],
});
