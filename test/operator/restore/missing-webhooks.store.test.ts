import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteWebhook, rotateWebhookSecret, verifyWebhook } from '../../../lambdas/data/webhooks/webhook-lifecycle.ts';
import { findWebhook, idsKey, toWebhookItem, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import { recordsOf } from '../../../operator/restore/audit-record.ts';
import { registerWebhook } from '../../support/call.ts';
import { operate } from '../../support/operator.ts';
import { changedConcurrently, copyOne, findRow, loseRow } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { openWorld, startMs, webhookSecretOf } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const idsOf = async (companyId: string) => {
  const ids = await findRow('Webhooks', idsKey(companyId));
  return [...((ids?.webhookIds as Set<string> | undefined) ?? [])].toSorted();
};

const newCompanyId = () => randomUUID().replaceAll('-', '').slice(0, 20);
let urls = 0;
/** Every webhook has its own URL, because a company has only one webhook per URL. */
const register = (companyId = newCompanyId()) =>
  registerWebhook(world.store, companyId, `https://hooks.acme.example/${urls++}`);
const act = ({ companyId }: Webhook) => ({ ...operatorActOn(companyId, startMs + 1), operation: 'deleteWebhook' });
const keyOf = ({ companyId, webhookId }: Webhook) => webhookKey(companyId, webhookId);
const stored = ({ companyId, webhookId }: Webhook) => findWebhook(world.store, companyId, webhookId);

describe('a lost webhook', () => {
  test.each([
    ['with its place', (webhook: Webhook) => loseRow('Webhooks', idsKey(webhook.companyId))],
    ['into the place that it still has', async () => {}],
  ])('is restored %s', async (_, loseMore) => {
    const webhook = await register();
    await loseRow('Webhooks', keyOf(webhook));
    await loseMore(webhook);
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('copied');
    expect(await stored(webhook)).toEqual(webhook);
    expect(await idsOf(webhook.companyId)).toEqual([webhook.webhookId]);
  });

  test('is restored as one of three', async () => {
    const webhook = await register();
    for (const each of [1, 2]) await register(webhook.companyId).then(() => each);
    await loseRow('Webhooks', keyOf(webhook));
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('copied');
    expect((await idsOf(webhook.companyId)).length).toBe(3);
  });

  test('is restored with its place in the set of ids, next to another', async () => {
    const webhook = await register();
    const { companyId } = webhook;
    await loseRow('Webhooks', keyOf(webhook));
    await loseRow('Webhooks', idsKey(companyId));
    const other = await register(companyId);
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('copied');
    expect(await idsOf(companyId)).toEqual([webhook.webhookId, other.webhookId].toSorted());
  });

  test('has the last secret in the audit log, and no previous secret signs too', async () => {
    const webhook = await register();
    await rotateWebhookSecret(
      world.store,
      operatorActOn(webhook.companyId, startMs + 1),
      webhook.webhookId,
      webhookSecretOf,
    );
    await loseRow('Webhooks', keyOf(webhook));
    expect(await copyOne('Webhooks', toWebhookItem({ ...webhook, previousSecretUntilMs: startMs + 9 }))).toBe('copied');
    expect(await stored(webhook)).toEqual({ ...webhook, secretVersion: 2 });
  });

  test('stays disabled if an operator disabled it, unless its company verified it since', async () => {
    const webhook = await register();
    const { companyId, webhookId } = webhook;
    const disable = ['webhook', 'disable', companyId, webhookId, '--reason', 'to see'];
    expect((await operate(disable, { ...world, nowMs: startMs + 1000 })).exit).toBe('ok');
    const disabled = await stored(webhook);
    expect(disabled?.state).toBe('disabled');
    await loseRow('Webhooks', keyOf(webhook));
    expect(await copyOne('Webhooks', toWebhookItem({ ...webhook, failures: 2, failedSinceMs: startMs }))).toBe(
      'copied',
    );
    expect(await stored(webhook)).toEqual(disabled);
    await verifyWebhook(world.store, operatorActOn(companyId, startMs + 2000), webhookId, null);
    await loseRow('Webhooks', keyOf(webhook));
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('copied');
    expect(await stored(webhook)).toEqual(webhook);
  });

  test('stays deleted if the audit log has its deletion', async () => {
    const webhook = await register();
    await deleteWebhook(world.store, act(webhook), webhook.webhookId);
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('deleted according to AuditLog');
    expect(await idsOf(webhook.companyId)).toEqual([]);
  });

  test('is not restored as a fourth, if three exist or are created concurrently', async () => {
    const webhook = await register();
    const { companyId } = webhook;
    await loseRow('Webhooks', keyOf(webhook));
    await loseRow('Webhooks', idsKey(companyId));
    const others = [await register(companyId), await register(companyId)].map(({ webhookId }) => webhookId);
    const last = () => register(companyId).then(({ webhookId }) => others.push(webhookId));
    expect(await copyOne('Webhooks', toWebhookItem(webhook), { meanwhile: last })).toBe(changedConcurrently);
    expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('three other webhooks exist');
    expect(await idsOf(companyId)).toEqual(others.toSorted());
  });

  test('does not overwrite a webhook that another run has copied', async () => {
    const webhook = await register();
    await loseRow('Webhooks', keyOf(webhook));
    const other = () => copyOne('Webhooks', toWebhookItem({ ...webhook, failures: 3 }));
    expect(await copyOne('Webhooks', toWebhookItem(webhook), { meanwhile: other })).toBe(changedConcurrently);
    expect((await stored(webhook))?.failures).toBe(3);
  });
});

test('does not change an existing webhook', async () => {
  const webhook = await register();
  const row = { ...toWebhookItem(webhook), failures: 3 };
  expect(await copyOne('Webhooks', row, { own: toWebhookItem(webhook) })).toBe('same');
});

describe('the lost set of ids', () => {
  const lostIds = async () => {
    const webhook = await register();
    const other = await register(webhook.companyId);
    const row = { ...idsKey(webhook.companyId), webhookIds: new Set(['wh_gone']) };
    await loseRow('Webhooks', idsKey(webhook.companyId));
    return { webhook, other, row };
  };

  test('is restored with the existing webhooks', async () => {
    const { webhook, other, row } = await lostIds();
    expect(await copyOne('Webhooks', row)).toBe('copied');
    expect(await idsOf(webhook.companyId)).toEqual([webhook.webhookId, other.webhookId].toSorted());
  });

  test('is not restored for a company without webhooks', async () => {
    expect(await copyOne('Webhooks', { ...idsKey(newCompanyId()), webhookIds: new Set(['wh_gone']) })).toBe('same');
  });

  test('does not list a webhook that is deleted concurrently, but lists a newly created webhook', async () => {
    const { webhook, other, row } = await lostIds();
    const remove = () => deleteWebhook(world.store, act(webhook), webhook.webhookId);
    expect(await copyOne('Webhooks', row, { meanwhile: remove })).toBe(changedConcurrently);
    await loseRow('Webhooks', idsKey(webhook.companyId));
    expect(await copyOne('Webhooks', row)).toBe('copied');
    expect(await idsOf(webhook.companyId)).toEqual([other.webhookId]);
    await loseRow('Webhooks', idsKey(webhook.companyId));
    const create = () => register(webhook.companyId);
    expect(await copyOne('Webhooks', row, { meanwhile: create })).toBe(changedConcurrently);
  });
});

test('a webhook stays deleted if an operator whose clock is ahead changed it', async () => {
  const webhook = await register();
  const { companyId, webhookId } = webhook;
  const disable = ['webhook', 'disable', companyId, webhookId, '--reason', 'to see'];
  expect((await operate(disable, { ...world, nowMs: startMs + 40_000 })).exit).toBe('ok');
  const deletion = { ...operatorActOn(companyId, startMs + 20_000), operation: 'deleteWebhook' };
  expect((await deleteWebhook(world.store, deletion, webhookId)).outcome).toBe('deleted');
  expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('deleted according to AuditLog');
});

test('the audit rows of a webhook do not change the contract', async () => {
  const webhook = await register();
  const record = await recordsOf(world.store, [world.store.tableName('AuditLog')], startMs).of(webhook.companyId);
  expect([record.company, record.contracts]).toEqual([{}, new Map()]);
});
