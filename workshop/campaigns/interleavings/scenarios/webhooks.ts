import assert from 'node:assert/strict';
import { maxWebhooksPerCompany } from '../../../../lambdas/api/limits.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { createWebhook, deleteWebhook } from '../../../../lambdas/data/webhooks/webhook-lifecycle.ts';
import type { Webhook } from '../../../../lambdas/domain/webhook.ts';
import type { Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, newRecords, recordIsKept, rowsWith } from '../../../../test/support/stage/rows.ts';
import { answersOf, type Ending, type Scenario } from '../scenario.ts';

type WebhookCreation = Exclude<Awaited<ReturnType<typeof createWebhook>>, undefined>;

const companyId = 'acme';
const urlOf = (path: number) => `https://hooks.acme.example/${path}`;

const create = (path: number) => (own: Store) =>
  createWebhook(own, actOf(companyId, null), urlOf(path), async () => 'a-secret');

const webhooksIn = (tables: Tables) => rowsWith(tables, 'Webhooks', 'WEBHOOK#') as unknown as Webhook[];
const idsOf = (webhooks: readonly Webhook[]) => webhooks.map(({ webhookId }) => webhookId).sort();

/** The guarantees on webhooks in every scenario. */
const webhooksStayInOrder = (before: Tables, after: Tables): void => {
  recordIsKept(before, after);
  const webhooks = webhooksIn(after);
  assert(webhooks.length <= maxWebhooksPerCompany, `there are ${webhooks.length} webhooks`);
  assert.equal(new Set(webhooks.map(({ url }) => url)).size, webhooks.length, 'two webhooks have one URL');
  const [ids] = rowsWith(after, 'Webhooks', 'IDS');
  assert.deepEqual([...((ids?.webhookIds ?? []) as Set<string>)].sort(), idsOf(webhooks), 'the set of ids is wrong');
  const changed = idsOf(webhooks).filter((id) => !idsOf(webhooksIn(before)).includes(id));
  const recorded = newRecords(before, after).map(({ webhookId }) => webhookId);
  for (const id of changed) assert(recorded.includes(id), 'a webhook came off the record');
};

const outcomesIn = (ending: Ending) =>
  answersOf<WebhookCreation>(ending)
    .map(({ outcome }) => outcome)
    .sort();

/** Each webhook that an answer named exists, and without faults these are the outcomes. */
const endsWith =
  (expected: readonly WebhookCreation['outcome'][], count: number) =>
  (ending: Ending): void => {
    const ids = idsOf(webhooksIn(ending.tables));
    for (const answer of answersOf<WebhookCreation>(ending)) {
      if (answer.outcome === 'created')
        assert(ids.includes(answer.webhook.webhookId), 'a created webhook is not there');
      if (answer.outcome === 'webhook-exists') assert(ids.includes(answer.webhookId), 'the webhook is not there');
    }
    if (!ending.isUndisturbed) return;
    assert.deepEqual(outcomesIn(ending), [...expected].sort());
    assert.equal(ids.length, count);
  };

/** Concurrent creations of webhooks of the URLs `paths`, for a company that already has webhooks of the URLs `before`. */
const creations =
  (before: readonly number[], paths: readonly number[], atEnd: (ending: Ending) => void): Scenario['arrange'] =>
  async (store) => {
    for (const path of before) await create(path)(store);
    return {
      operations: Object.fromEntries(paths.map((path, index) => [`creation ${index} of /${path}`, create(path)])),
      afterEach: webhooksStayInOrder,
      atEnd,
    };
  };

export const webhookScenarios: readonly Scenario[] = [
  {
    name: 'two creations of a webhook of one URL',
    guarantee: 'there is one webhook of the URL, and the other caller gets its id',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: creations([], [1, 1], endsWith(['created', 'webhook-exists'], 1)),
  },
  {
    name: 'two creations of webhooks of two URLs where there is room for one',
    guarantee: 'there are never more than three webhooks, and one of the two is created',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: creations([1, 2], [3, 4], endsWith(['created', 'webhook-limit-reached'], 3)),
  },
  {
    name: 'two creations for one URL and one for another, with one existing webhook',
    guarantee: 'each URL has one webhook, and no creation fails because of a conflict',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: creations([1], [2, 2, 3], endsWith(['created', 'created', 'webhook-exists'], 3)),
  },
  {
    name: 'the deletion of a webhook and a creation of the same URL',
    guarantee: 'the creation makes a new webhook or names the existing one, and never two have the URL',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const first = await create(1)(store);
      assert(first.outcome === 'created');
      const { webhookId } = first.webhook;
      return {
        operations: {
          deletion: (own) => deleteWebhook(own, actOf(companyId, null), webhookId),
          creation: create(1),
        },
        afterEach: webhooksStayInOrder,
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (!isUndisturbed || outcomes.creation?.kind !== 'ended') return;
          const answer = outcomes.creation.value as WebhookCreation;
          if (answer.outcome === 'webhook-exists') assert.equal(answer.webhookId, webhookId);
          else assert.equal(answer.outcome, 'created');
          assert.equal(webhooksIn(tables).length, answer.outcome === 'created' ? 1 : 0);
        },
      };
    },
  },
];
