import { invalidRequest, Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import { toTimestamp } from '../domain/time.ts';
import { type Attempt, type Webhook, webhookUrlFault, webhookUrlFaults } from '../domain/webhook.ts';
import { type ListedAttempt, nextAttemptAt } from '../domain/webhook-message.ts';

/** Returns a webhook as its company sees it: without its code, which must come from the URL. */
export const webhookBody = (webhook: Webhook, nowMs: number) => ({
  webhookId: webhook.webhookId,
  url: webhook.url,
  state: webhook.state,
  createdAt: toTimestamp(webhook.createdAtMs),
  verifiedAt: timestampOrNull(webhook.verifiedAtMs),
  disabledAt: timestampOrNull(webhook.disabledAtMs),
  disabledBecause: webhook.disabledBecause ?? null,
  previousSecretUntil: timestampOrNull(previousSecretUntil(webhook, nowMs)),
  failingSince: timestampOrNull(webhook.failedSinceMs),
  lastAttempt: webhook.lastAttempt
    ? { at: toTimestamp(webhook.lastAttempt.atMs), ...attemptBody(webhook.lastAttempt) }
    : null,
});

/** Returns an attempt to send a message to a webhook. */
export const webhookAttemptBody = (webhook: Webhook, attempt: ListedAttempt) => {
  const next = nextAttemptAt(webhook, attempt);
  return {
    at: toTimestamp(attempt.atMs),
    type: attempt.type,
    messageId: attempt.messageId,
    ...attemptBody(attempt),
    nextAttemptAt: timestampOrNull(next === undefined ? undefined : Date.parse(next)),
  };
};

export const rotatedSecretBody = (
  webhookId: string,
  { secret, previousSecretUntilMs }: { readonly secret: string; readonly previousSecretUntilMs: number },
) => ({ webhookId, secret, previousSecretUntil: toTimestamp(previousSecretUntilMs) });

const attemptBody = ({ status, fault, durationMs }: Pick<Attempt, 'status' | 'fault' | 'durationMs'>) => ({
  status,
  fault,
  durationMs,
});

const previousSecretUntil = ({ previousSecretUntilMs: untilMs }: Webhook, nowMs: number) =>
  untilMs !== undefined && nowMs < untilMs ? untilMs : undefined;

const timestampOrNull = (atMs: number | undefined) => (atMs === undefined ? null : toTimestamp(atMs));

/** Returns the problem of a URL that webhook messages may not be sent to; undefined if they may. */
export const urlProblem = (url: string, registeredHosts: readonly string[]) => {
  const fault = webhookUrlFault(url, registeredHosts);
  if (fault === undefined) return undefined;
  return fault === 'host-not-registered'
    ? new Problem('webhook-host-not-registered', { registeredHosts: [...registeredHosts] })
    : invalidRequest([{ pointer: pointerTo('body', 'url'), detail: webhookUrlFaults[fault] }]);
};
