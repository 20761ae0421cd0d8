import * as z from 'zod';
import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { disablingReasons, webhookStates } from '../../lambdas/api/schemas/webhook.ts';
import { listWebhooks } from '../../lambdas/data/webhooks/webhooks.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';

const timeOrNull = z.iso.datetime().nullable();

const webhook = z.strictObject({
  webhookId: z.string(),
  /** Without its query, which may hold what only the company is to know. */
  url: z.string(),
  state: z.enum(webhookStates),
  verifiedAt: timeOrNull,
  disabledAt: timeOrNull,
  disabledBecause: z.enum(disablingReasons).nullable(),
  failingSince: timeOrNull,
  lastAttempt: z
    .strictObject({
      at: z.iso.datetime(),
      status: z.int().nullable(),
      fault: z.string().nullable(),
      durationMs: z.int(),
    })
    .nullable(),
  /** The poke that it is owed is due since then, or will be; null if it is owed none. */
  pokeDueAt: timeOrNull,
});

export const webhookList = defineCommand({
  noun: 'webhook',
  verb: 'list',
  summary: 'List the webhooks of a company: where they are, how the last poke went, and whether they are owed one',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: { tableActions: { Webhooks: ['Query'], Contracts: ['GetItem'] } },
  output: z.strictObject({ companyId: z.string(), webhooks: z.array(webhook) }),
  run: async ({ connect }, input) => {
    const { store } = await connect();
    await requireContract(store, input.companyId);
    const { webhooks } = await listWebhooks(store, input.companyId, maxWebhooksPerCompany);
    return { companyId: input.companyId, webhooks: webhooks.map(present) };
  },
  view: ({ companyId: id, webhooks }) => [
    {
      title: id,
      rows: webhooks.map(({ webhookId, url, state, disabledBecause, failingSince, lastAttempt, pokeDueAt }) => ({
        ...{ webhook: webhookId, url, state, because: disabledBecause, 'failing since': failingSince },
        'last attempt': lastAttempt && `${lastAttempt.at} ${lastAttempt.status ?? lastAttempt.fault}`,
        'poke due': pokeDueAt,
      })),
      ifEmpty: 'no webhooks',
    },
  ],
});

const present = ({ webhookId, url, state, disabledBecause, lastAttempt, dueAt, ...times }: Webhook) => {
  const { origin, pathname } = new URL(url);
  return {
    ...{ webhookId, url: `${origin}${pathname}`, state },
    verifiedAt: timestampOrNull(times.verifiedAtMs),
    disabledAt: timestampOrNull(times.disabledAtMs),
    disabledBecause: disabledBecause ?? null,
    failingSince: timestampOrNull(times.failedSinceMs),
    lastAttempt: lastAttempt ? presentAttempt(lastAttempt) : null,
    pokeDueAt: dueAt === undefined ? null : toTimestamp(Date.parse(dueAt)),
  };
};

const presentAttempt = ({ atMs, status, fault, durationMs }: NonNullable<Webhook['lastAttempt']>) => ({
  at: toTimestamp(atMs),
  status,
  fault,
  durationMs,
});

const timestampOrNull = (atMs: number | undefined) => (atMs === undefined ? null : toTimestamp(atMs));
