import assert from 'node:assert/strict';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { acquireLease, endLease, oweMessages } from '../../../../lambdas/data/webhooks/deliveries.ts';
import { putAttempt, readAttempts } from '../../../../lambdas/data/webhooks/webhook-attempts.ts';
import type { Webhook } from '../../../../lambdas/domain/webhook.ts';
import type { Ending } from '../../../../lambdas/domain/webhook-message.ts';
import { rowsOf } from '../../../../test/support/memory-store/tables.ts';
import { putWebhook } from '../../../../test/support/webhooks.ts';
import { startMs } from '../../../../test/support/world.ts';
import { answersOf, type Scenario } from '../scenario.ts';

/** Several senders find the webhook due while events ask for more messages; each message ends the same way. */
const meeting =
  (senders: number, events: number, ending: Ending): Scenario['arrange'] =>
  async (store) => {
    const webhook = await putWebhook('acme', { webhookId: 'wh_1' }, store);
    const sender = async (own: Store) => {
      const taking = await acquireLease(own, webhook, startMs);
      if (taking.outcome !== 'taken') return undefined;
      const { webhook: taken } = taking;
      // `durationMs` holds the number of reasons that the message covers, so that the table shows it even if the sender dies.
      const lastAttempt = { atMs: startMs, status: 204, fault: null, durationMs: taken.asked };
      await endLease(own, { taken, ending, attempt: { lastAttempt, lastSentAtMs: startMs }, nowMs: startMs });
      return 'sent' as const;
    };
    const several = (name: string, count: number, act: (own: Store) => Promise<unknown>) =>
      Array.from({ length: count }, (_, index) => [`${name} ${index}`, act] as const);
    return {
      operations: Object.fromEntries([
        ...several('sender', senders, sender),
        ...several('event', events, (own) => oweMessages(own, webhook.companyId, startMs)),
      ]),
      atEnd: (reached) => {
        const [after] = [...rowsOf(reached.tables, 'Webhooks').values()];
        const { due, asked, leasedUntilMs, lastAttempt } = after as unknown as Webhook;
        const isSent = ending.kind === 'delivered' && lastAttempt?.durationMs === asked;
        assert(due !== undefined || isSent, 'a message that was asked for is neither owed nor sent');
        if (!reached.isUndisturbed) return;
        assert.equal(asked, 1 + events, 'a reason to message was not counted');
        // All happens at one time, and a second message within the same second would be too early.
        assert.equal(answersOf(reached).filter((each) => each === 'sent').length, 1, 'messages were sent at once');
        assert.equal(leasedUntilMs, undefined, 'a lease was not given back');
      },
    };
  };

const webhookId = { companyId: 'acme', webhookId: 'wh_1' };

/** Several senders, one after the lease of another has expired, store attempts of one millisecond while they are read. */
const attempts =
  (senders: number): Scenario['arrange'] =>
  async () => ({
    operations: Object.fromEntries([
      ...Array.from({ length: senders }, (_, index) => {
        const messageId = `msg_${index}`;
        const attempt = { type: 'events.available' as const, messageId, atMs: startMs, status: 204, fault: null };
        const put = (own: Store) => putAttempt(own, webhookId, { ...attempt, durationMs: index });
        return [`sender ${index}`, (own: Store) => put(own).then(() => messageId)] as const;
      }),
      ['reader', (own: Store) => readAttempts(own, webhookId, { nowMs: startMs, limit: 10 })] as const,
    ]),
    afterEach: (before, after) => {
      const [old, young] = [before, after].map((tables) => rowsOf(tables, 'WebhookAttempts'));
      for (const [key, row] of old ?? []) assert.deepEqual(young?.get(key), row, 'a stored attempt was changed');
    },
    atEnd: (reached) => {
      const rows = [...rowsOf(reached.tables, 'WebhookAttempts').values()];
      for (const answer of answersOf(reached).filter((each) => typeof each === 'string'))
        assert.equal(rows.filter(({ messageId }) => messageId === answer).length, 1, 'an attempt is not stored once');
    },
  });

const failed: Ending = { kind: 'again', atMs: startMs + 5000, failedSinceMs: startMs };

export const webhookMessageScenarios: readonly Scenario[] = [
  {
    name: 'two senders of a webhook message and an event',
    guarantee: 'a message that becomes due during another is never lost, and at most one is in flight',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: meeting(2, 1, { kind: 'delivered' }),
  },
  {
    name: 'a sender of a webhook message and two events',
    guarantee: 'each reason for a message is counted, and the last is sent or due',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: meeting(1, 2, { kind: 'delivered' }),
  },
  {
    name: 'two senders of a rejected webhook message, and an event',
    guarantee: 'a failed message stays due, whatever else becomes due',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: meeting(2, 1, failed),
  },
  {
    name: 'two senders that store attempts of one webhook and one millisecond, and a reader',
    guarantee: 'each attempt is stored once, and no attempt replaces another',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: attempts(2),
  },
];
