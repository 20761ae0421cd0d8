import * as z from 'zod';
import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { disablingReasons, webhookStates } from '../../lambdas/api/schemas/webhook.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { hasLeft } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { readAttempts } from '../../lambdas/data/webhooks/webhook-attempts.ts';
import { findWebhook, listWebhooks, owedFrom, updateIfAsSeen } from '../../lambdas/data/webhooks/webhooks.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { Webhook, WebhookId } from '../../lambdas/domain/webhook.ts';
import { intentOf, type ListedAttempt, type Standing, standingOf } from '../../lambdas/domain/webhook-message.ts';
import { sendMessage } from '../../lambdas/runtime/senders.ts';
import { createDeliveryQueue } from '../../lambdas/webhooks/delivery-queue.ts';
import { companyId, defineCommand, idOf } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { changeOutput, changeView, differencesOf, makeChange } from '../cli/make-change.ts';
import { requireCompany } from '../companies/contract.ts';
import { OperatorError } from '../error.ts';

const timeOrNull = z.iso.datetime().nullable();

const attempt = {
  at: z.iso.datetime(),
  status: z.int().nullable(),
  fault: z.string().nullable(),
  durationMs: z.int(),
};

const webhook = z.strictObject({
  webhookId: z.string(),
  /** The URL without its query, which may contain secrets of the company. */
  url: z.string(),
  state: z.enum(webhookStates),
  verifiedAt: timeOrNull,
  disabledAt: timeOrNull,
  disabledBecause: z.enum(disablingReasons).nullable(),
  failingSince: timeOrNull,
  lastAttempt: z.strictObject(attempt).nullable(),
  /** When the next message is, or was, due; null if none is pending. */
  messageDueAt: timeOrNull,
  /** Those that the company sees, newest first. */
  attempts: z.array(z.strictObject({ ...attempt, type: z.string(), messageId: z.string() })),
});

/** How many attempts of a webhook the list shows. */
const shownAttempts = 20;

export const webhookList = defineCommand({
  noun: 'webhook',
  verb: 'list',
  summary: 'List the webhooks of a company: their URLs, whether a message is due, and their last attempts',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: { tableActions: { Webhooks: ['Query'], WebhookAttempts: ['Query'], Companies: ['GetItem'] } },
  output: z.strictObject({ companyId: z.string(), webhooks: z.array(webhook) }),
  run: async ({ connect, nowMs }, input) => {
    const { store } = await connect();
    await requireCompany(store, input.companyId);
    const { webhooks } = await listWebhooks(store, input.companyId, maxWebhooksPerCompany);
    const attempts = await Promise.all(
      webhooks.map((each) => readAttempts(store, each, { nowMs, limit: shownAttempts })),
    );
    return {
      companyId: input.companyId,
      webhooks: webhooks.map((each, index) => present(each, attempts[index]?.attempts ?? [])),
    };
  },
  view: ({ companyId: id, webhooks }) => [
    {
      title: id,
      rows: webhooks.map(({ webhookId, url, state, disabledBecause, failingSince, lastAttempt, messageDueAt }) => ({
        webhook: webhookId,
        url,
        state,
        because: disabledBecause,
        'failing since': failingSince,
        'last attempt': lastAttempt && `${lastAttempt.at} ${lastAttempt.status ?? lastAttempt.fault}`,
        'message due': messageDueAt,
      })),
      ifEmpty: 'no webhooks',
    },
    ...webhooks.map(({ webhookId, attempts }) => ({
      title: webhookId,
      rows: attempts.map(({ at, type, messageId, status, fault, durationMs }) => ({
        at,
        type,
        message: messageId,
        result: status ?? fault,
        ms: durationMs,
      })),
      ifEmpty: 'no attempts',
    })),
  ],
});

const present = (
  { webhookId, url, state, disabledBecause, lastAttempt, dueAt, ...times }: Webhook,
  attempts: readonly ListedAttempt[],
) => {
  const { origin, pathname } = new URL(url);
  return {
    webhookId,
    url: `${origin}${pathname}`,
    state,
    verifiedAt: timestampOrNull(times.verifiedAtMs),
    disabledAt: timestampOrNull(times.disabledAtMs),
    disabledBecause: disabledBecause ?? null,
    failingSince: timestampOrNull(times.failedSinceMs),
    lastAttempt: lastAttempt ? presentAttempt(lastAttempt) : null,
    messageDueAt: dueAt === undefined ? null : toTimestamp(Date.parse(dueAt)),
    attempts: attempts.map(({ type, messageId, ...each }) => ({ ...presentAttempt(each), type, messageId })),
  };
};

const presentAttempt = ({ atMs, status, fault, durationMs }: NonNullable<Webhook['lastAttempt']>) => ({
  at: toTimestamp(atMs),
  status,
  fault,
  durationMs,
});

const timestampOrNull = (atMs: number | undefined) => (atMs === undefined ? null : toTimestamp(atMs));

/** The common part of commands that change one webhook. */
const webhookChange = {
  arguments: { companyId, webhookId: { summary: 'as in webhook list', schema: idOf('webhook') } },
  options: {},
  changes: true,
  output: changeOutput,
  view: changeView,
} as const;

/** The permissions to make a message to a webhook due, with an audit row, and to queue it. */
const deliveryRequirements = {
  tableActions: {
    Webhooks: ['GetItem', 'UpdateItem'],
    Companies: ['GetItem'],
    'Contracts/index/byCompany': ['Query'],
    AuditLog: ['PutItem'],
  },
  queueActions: { webhookMessages: ['SendMessage'] },
} as const;

export const webhookTest = defineCommand({
  noun: 'webhook',
  verb: 'test',
  summary:
    'Send a message to a webhook at once, without waiting for the next attempt if the webhook is failing. webhook list shows the result',
  ...webhookChange,
  shownToCompany: false,
  requirements: deliveryRequirements,
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const standing = await requireStanding(store, companyId);
    const seen = await requireWebhook(store, companyId, webhookId);
    if (standing !== 'active')
      throw new OperatorError('refused', `${standings[standing](companyId)}: it gets no messages.`);
    if (intentOf(seen, standing, context.nowMs) !== 'send')
      throw new OperatorError('refused', `${webhookId} gets no messages: ${remedyOf(seen)}`);
    const { dueAt } = owedFrom(webhookId, context.nowMs);
    return makeChange(context, {
      companyId,
      differences: [{ what: 'message due', before: seen.dueAt ?? null, after: dueAt }],
      apply: async () => {
        await changeWebhook(context, seen, { set: {}, askAtMs: context.nowMs });
        await deliverNow(context, seen);
      },
    });
  },
});

const requireStanding = async (store: Store, companyId: string): Promise<Standing> => {
  const company = await requireCompany(store, companyId);
  return standingOf(company, await hasLeft(store, companyId));
};

const standings = {
  suspended: (id: string) => `${id} is suspended`,
  ended: (id: string) => `The contract of ${id} has ended`,
  unknown: (id: string) => `${id} has no contract`,
} as const satisfies Partial<Record<Standing, unknown>>;

const remedyOf = ({ state, companyId, webhookId }: Webhook): string =>
  state === 'disabled'
    ? `it is disabled. To enable it: webhook enable ${companyId} ${webhookId}.`
    : 'it is not verified, and its code has expired. The company should request a new one.';

export const webhookDisable = defineCommand({
  noun: 'webhook',
  verb: 'disable',
  summary: 'Send no more messages to a webhook until it is enabled again or its company verifies it again',
  ...webhookChange,
  shownToCompany: true,
  requirements: { tableActions: { Webhooks: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem'] } },
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const seen = await requireWebhook(store, companyId, webhookId);
    const disabled = { state: 'disabled', disabledAtMs: context.nowMs, disabledBecause: 'operator' } as const;
    return makeChange(context, {
      companyId,
      differences: seen.state === 'disabled' ? [] : differencesOf({ ...seen }, disabled),
      apply: () =>
        changeWebhook(context, seen, {
          set: { ...disabled, failures: 0 },
          remove: ['due', 'dueAt', 'failedSinceMs'],
          onRecord: { before: { state: seen.state }, after: { state: 'disabled' } },
        }),
    });
  },
});

export const webhookEnable = defineCommand({
  noun: 'webhook',
  verb: 'enable',
  summary: 'Send messages to a webhook again, starting at once; the company must have verified the webhook before',
  ...webhookChange,
  shownToCompany: true,
  requirements: deliveryRequirements,
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const standing = await requireStanding(store, companyId);
    const seen = await requireWebhook(store, companyId, webhookId);
    if (standing === 'ended')
      throw new OperatorError('refused', `The contract of ${companyId} has ended: its webhooks get no messages.`);
    if (seen.verifiedAtMs === undefined)
      throw new OperatorError(
        'refused',
        `${webhookId} was never verified, so it may not belong to the company. The company should request a code, with {"code":null} to POST /webhooks/${webhookId}/verification, and send back the code that arrives.`,
      );
    const { state, disabledAtMs = null, disabledBecause = null } = seen;
    const enabled = { state: 'enabled', disabledAtMs: null, disabledBecause: null };
    return makeChange(context, {
      companyId,
      differences: differencesOf({ state, disabledAtMs, disabledBecause }, enabled),
      apply: async () => {
        await changeWebhook(context, seen, {
          set: { state: 'enabled', failures: 0 },
          remove: ['disabledAtMs', 'disabledBecause', 'failedSinceMs'],
          askAtMs: context.nowMs,
          onRecord: { before: { state }, after: { state: 'enabled' } },
        });
        await deliverNow(context, seen);
      },
    });
  },
});

const requireWebhook = async (store: Store, company: string, webhookId: string): Promise<Webhook> => {
  const webhook = await findWebhook(store, company, webhookId);
  if (webhook) return webhook;
  throw new OperatorError(
    'not-found',
    `${company} has no webhook ${webhookId}; perhaps it is already deleted. To see its webhooks: webhook list ${company}.`,
  );
};

type Change = Parameters<typeof updateIfAsSeen>[3] & {
  /** The former and new values in the audit row, which also has the id. */
  readonly onRecord?: Pick<Parameters<typeof auditPut>[2], 'before' | 'after'>;
};

/** Changes a webhook in one transaction with its audit row. Throws if state or code have changed since it was read. */
const changeWebhook = async (
  context: OperatorContext,
  seen: Webhook,
  { onRecord = {}, ...change }: Change,
): Promise<void> => {
  const { store } = await context.connect();
  const { companyId: company, webhookId } = seen;
  const failed = await transact(store, {
    webhook: updateIfAsSeen(store, seen, ['state', 'code'], change),
    audit: auditPut(store, await context.auditContext(company), { webhookId, ...onRecord }),
  });
  if (failed)
    throw new OperatorError(
      'conflict',
      `${webhookId} was changed by another caller at the same time; this command changed nothing. Check with webhook list ${company}, and run the command again if it still applies.`,
    );
};

/** Queues a message that is due. If sending to the queue fails, the sweeper of the stage sends the message later. */
const deliverNow = async (context: OperatorContext, webhook: WebhookId): Promise<void> => {
  const { integrations } = await context.connect();
  const queueDelivery = createDeliveryQueue((_, message) =>
    sendMessage(integrations.sqs, integrations.urlOf('webhookMessages'), message),
  );
  try {
    await queueDelivery(webhook);
  } catch (error) {
    const { name, message } = error as Error;
    context.talk(
      `The message could not be queued (${name}: ${message}). The stage sends it within a minute.`,
      'warning',
    );
  }
};
