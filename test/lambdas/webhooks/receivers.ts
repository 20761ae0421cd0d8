import { endingOf, messageSpacingMs } from '../../../lambdas/domain/webhook-message.ts';
import { longestDelayMs } from '../../../lambdas/webhooks/delivery-queue.ts';
import { failingLimits, type PostLimits, postLimits } from '../../../lambdas/webhooks/post.ts';

/** How messages are sent; the defaults are those of the rows. */
export type Sending = {
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Whether the queue first delivers the messages of the company with the fewest messages in flight. */
  readonly isFair: boolean;
  readonly limits: { readonly usual: PostLimits; readonly failing: PostLimits };
};

export const today = { isFair: true, limits: { usual: postLimits, failing: failingLimits } } as const;

/** A receiver; null means that it never answers. */
export type Receiver = { readonly companyId: string; readonly answersAfterMs: number | null };

/** An event for a receiver, at a time. */
export type Occasion = { readonly atMs: number; readonly receiver: number };

type Webhook = {
  dueAtMs: number | undefined;
  askedAtMs: number | undefined;
  lastSentAtMs: number;
  leasedUntilMs: number;
  failures: number;
  failedSinceMs?: number;
};

type Message = { readonly receiver: number; readonly visibleAtMs: number };

/** The time of a call's own work, apart from waiting for receivers. */
const ownMs = 50;

/** Lambda starts with five concurrent calls per queue, and adds five a second while messages wait. */
const callsAtFirst = 5;
const callsMorePerSecond = 5;

const stepMs = 50;

/**
 * Simulates the sending of messages with the decisions of the service; returns for each receiver the delay of each of its
 * messages.
 */
export const playReceivers = (
  receivers: readonly Receiver[],
  occasions: readonly Occasion[],
  untilMs: number,
  { batchSize, maxConcurrency, isFair, limits }: Sending,
): readonly (readonly number[])[] => {
  const webhooks: Webhook[] = receivers.map(() => ({
    dueAtMs: undefined,
    askedAtMs: undefined,
    lastSentAtMs: Number.NEGATIVE_INFINITY,
    leasedUntilMs: 0,
    failures: 0,
  }));
  const delays: number[][] = receivers.map(() => []);
  const calls: { endsAtMs: number; readonly companies: readonly string[] }[] = [];
  const later: { readonly atMs: number; readonly run: () => void }[] = [];
  let messages: Message[] = [];
  let allowed = callsAtFirst;
  let next = 0;

  const queue = (receiver: number, visibleAtMs: number) => messages.push({ receiver, visibleAtMs });

  /** Sends a receiver the message that it is owed, if there is one; returns when the call is done with it. */
  const deliver = (receiver: number, nowMs: number): number => {
    const webhook = webhooks[receiver] as Webhook;
    const { answersAfterMs } = receivers[receiver] as Receiver;
    if (webhook.dueAtMs === undefined || webhook.dueAtMs > nowMs || webhook.leasedUntilMs > nowMs) return nowMs + ownMs;
    if (webhook.lastSentAtMs > nowMs - messageSpacingMs) {
      queue(receiver, nowMs + messageSpacingMs);
      return nowMs + ownMs;
    }
    const askedAtMs = webhook.askedAtMs ?? nowMs;
    const { totalMs } = webhook.failures > 0 ? limits.failing : limits.usual;
    const isAnswered = answersAfterMs !== null && answersAfterMs < totalMs;
    const endsAtMs = nowMs + ownMs + (isAnswered ? answersAfterMs : totalMs);
    webhook.lastSentAtMs = nowMs;
    webhook.leasedUntilMs = endsAtMs;
    webhook.askedAtMs = undefined;
    if (isAnswered) delays[receiver]?.push(nowMs + ownMs - askedAtMs);
    later.push({
      atMs: endsAtMs,
      run: () => {
        const ending = endingOf({
          webhook: { ...webhook, state: 'enabled', codeExpiresAtMs: 0 },
          standing: 'active',
          status: isAnswered ? 204 : null,
          nowMs: endsAtMs,
          random: 0.5,
        });
        if (ending.kind === 'again') {
          webhook.failures++;
          if (ending.failedSinceMs !== undefined) webhook.failedSinceMs = ending.failedSinceMs;
          webhook.dueAtMs = ending.atMs;
          if (ending.atMs - endsAtMs <= longestDelayMs) queue(receiver, ending.atMs);
          return;
        }
        webhook.failures = 0;
        delete webhook.failedSinceMs;
        // A message that was requested meanwhile is still owed.
        webhook.dueAtMs = webhook.askedAtMs === undefined ? undefined : nowMs + messageSpacingMs;
        if (webhook.dueAtMs !== undefined) queue(receiver, webhook.dueAtMs);
      },
    });
    return endsAtMs;
  };

  /** Returns the next messages, first those of quiet companies if the queue is fair. */
  const receive = (nowMs: number): Message[] => {
    const ready = messages.filter(({ visibleAtMs }) => visibleAtMs <= nowMs);
    const companyOf = ({ receiver }: Message) => (receivers[receiver] as Receiver).companyId;
    const underWay = new Map<string, number>();
    for (const id of calls.flatMap(({ companies }) => companies)) underWay.set(id, (underWay.get(id) ?? 0) + 1);
    const load = (message: Message) => underWay.get(companyOf(message)) ?? 0;
    const taken = (isFair ? ready.toSorted((one, other) => load(one) - load(other)) : ready).slice(0, batchSize);
    messages = messages.filter((message) => !taken.includes(message));
    return taken;
  };

  for (let nowMs = 0; nowMs < untilMs; nowMs += stepMs) {
    for (; next < occasions.length && (occasions[next]?.atMs ?? 0) <= nowMs; next++) {
      const { receiver } = occasions[next] as Occasion;
      const webhook = webhooks[receiver] as Webhook;
      webhook.askedAtMs ??= nowMs;
      webhook.dueAtMs ??= nowMs;
      if (webhook.dueAtMs <= nowMs) queue(receiver, nowMs);
    }
    for (const each of later.splice(0).toSorted((one, other) => one.atMs - other.atMs))
      if (each.atMs <= nowMs) each.run();
      else later.push(each);
    for (let index = calls.length - 1; index >= 0; index--)
      if ((calls[index]?.endsAtMs ?? 0) <= nowMs) calls.splice(index, 1);
    const isBehind = messages.some(({ visibleAtMs }) => visibleAtMs <= nowMs);
    allowed = isBehind ? Math.min(maxConcurrency, allowed + (callsMorePerSecond * stepMs) / 1000) : allowed;
    while (calls.length < Math.min(maxConcurrency, Math.floor(allowed))) {
      const batch = receive(nowMs);
      if (batch.length === 0) break;
      const endsAtMs = Math.max(...batch.map(({ receiver }) => deliver(receiver, nowMs)));
      calls.push({ endsAtMs, companies: batch.map(({ receiver }) => (receivers[receiver] as Receiver).companyId) });
    }
  }
  return delays;
};
