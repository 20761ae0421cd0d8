import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteWebhook, rotateWebhookSecret, verifyWebhook } from '../../../lambdas/data/webhooks/webhook-changes.ts';
import { findWebhook, idsKey, toWebhookItem, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import { recordsOf } from '../../../operator/restore/audit-record.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copyRows } from '../../../operator/restore/table-copy.ts';
import { registerWebhook } from '../../support/call.ts';
import { operate } from '../../support/operator.ts';
import { operatorActOn, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs, webhookSecretOf } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const copied = { kind: 'copied' };
const leftMeanwhile = { kind: 'left', why: 'changed meanwhile; run again' };

/** Copies a row of Webhooks, after whatever somebody does who overtakes. */
const copy = async (restored: Item, own?: Item, meanwhile?: () => Promise<unknown>) => {
  const store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
  const tools = {
    store,
    nowMs: startMs,
    stackName: 'PartnerApi-test',
    records: recordsOf(store, [store.tableName('AuditLog')], startMs),
    auditContext: async (subject: string) => operatorActOn(subject, startMs),
  };
  const [decision] = await copyRows(tools, 'Webhooks', [{ restored, own }], false);
  return decision;
};

const lose = (key: Item) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName('Webhooks'), Key: key }));

const idsOf = async (companyId: string) => {
  const command = { TableName: world.store.tableName('Webhooks'), Key: idsKey(companyId) };
  const { Item: ids } = await world.store.send(new GetCommand(command));
  return [...((ids?.webhookIds as Set<string> | undefined) ?? [])].toSorted();
};

const newCompanyId = () => randomUUID().replaceAll('-', '').slice(0, 20);
const register = (companyId = newCompanyId()) => registerWebhook(world.store, companyId);
const act = ({ companyId }: Webhook) => ({ ...operatorActOn(companyId, startMs + 1), operation: 'deleteWebhook' });
const keyOf = ({ companyId, webhookId }: Webhook) => webhookKey(companyId, webhookId);
const stored = ({ companyId, webhookId }: Webhook) => findWebhook(world.store, companyId, webhookId);

describe('a lost webhook', () => {
  test.each([
    ['with its place', (webhook: Webhook) => lose(idsKey(webhook.companyId))],
    ['into the place that it still has', async () => {}],
  ])('comes back %s', async (_, loseMore) => {
    const webhook = await register();
    await lose(keyOf(webhook));
    await loseMore(webhook);
    expect(await copy(toWebhookItem(webhook))).toEqual(copied);
    expect(await stored(webhook)).toEqual(webhook);
    expect(await idsOf(webhook.companyId)).toEqual([webhook.webhookId]);
  });

  test('comes back into its place among three', async () => {
    const webhook = await register();
    for (const each of [1, 2]) await register(webhook.companyId).then(() => each);
    await lose(keyOf(webhook));
    expect(await copy(toWebhookItem(webhook))).toEqual(copied);
    expect((await idsOf(webhook.companyId)).length).toBe(3);
  });

  test('comes back with its place beside another', async () => {
    const webhook = await register();
    const { companyId } = webhook;
    await lose(keyOf(webhook));
    await lose(idsKey(companyId));
    const other = await register(companyId);
    expect(await copy(toWebhookItem(webhook))).toEqual(copied);
    expect(await idsOf(companyId)).toEqual([webhook.webhookId, other.webhookId].toSorted());
  });

  test('has the secret that it had last on record, and no other one signs along', async () => {
    const webhook = await register();
    await rotateWebhookSecret(
      world.store,
      operatorActOn(webhook.companyId, startMs + 1),
      webhook.webhookId,
      webhookSecretOf,
    );
    await lose(keyOf(webhook));
    expect(await copy(toWebhookItem({ ...webhook, previousSecretUntilMs: startMs + 9 }))).toEqual(copied);
    expect(await stored(webhook)).toEqual({ ...webhook, secretVersion: 2 });
  });

  test('stays disabled if an operator disabled it on record, unless its company began anew since', async () => {
    const webhook = await register();
    const { companyId, webhookId } = webhook;
    const disable = ['webhook', 'disable', companyId, webhookId, '--reason', 'to see'];
    expect((await operate(disable, { ...world, nowMs: startMs + 1000 })).exit).toBe('ok');
    const disabled = await stored(webhook);
    expect(disabled?.state).toBe('disabled');
    await lose(keyOf(webhook));
    expect(await copy(toWebhookItem({ ...webhook, failures: 2, failedSinceMs: startMs }))).toEqual(copied);
    expect(await stored(webhook)).toEqual(disabled);
    await verifyWebhook(world.store, operatorActOn(companyId, startMs + 2000), webhookId, null);
    await lose(keyOf(webhook));
    expect(await copy(toWebhookItem(webhook))).toEqual(copied);
    expect(await stored(webhook)).toEqual(webhook);
  });

  test('stays deleted if it was deleted on record', async () => {
    const webhook = await register();
    await deleteWebhook(world.store, act(webhook), webhook.webhookId);
    expect(await copy(toWebhookItem(webhook))).toMatchObject({ kind: 'left', why: 'deleted on record' });
    expect(await idsOf(webhook.companyId)).toEqual([]);
  });

  test('does not come back as a fourth, whether three are there or come meanwhile', async () => {
    const webhook = await register();
    const { companyId } = webhook;
    await lose(keyOf(webhook));
    await lose(idsKey(companyId));
    const others = [await register(companyId), await register(companyId)].map(({ webhookId }) => webhookId);
    const last = () => register(companyId).then(({ webhookId }) => others.push(webhookId));
    expect(await copy(toWebhookItem(webhook), undefined, last)).toMatchObject(leftMeanwhile);
    expect(await copy(toWebhookItem(webhook))).toMatchObject({ kind: 'left', why: 'three other webhooks are there' });
    expect(await idsOf(companyId)).toEqual(others.toSorted());
  });

  test('does not come back over one that another run has copied meanwhile', async () => {
    const webhook = await register();
    await lose(keyOf(webhook));
    const other = () => copy(toWebhookItem({ ...webhook, failures: 3 }));
    expect(await copy(toWebhookItem(webhook), undefined, other)).toMatchObject(leftMeanwhile);
    expect((await stored(webhook))?.failures).toBe(3);
  });
});

test('a webhook that is there stays as it is', async () => {
  const webhook = await register();
  const row = { ...toWebhookItem(webhook), failures: 3 };
  expect(await copy(row, toWebhookItem(webhook))).toEqual({ kind: 'same' });
});

describe('the lost set of ids', () => {
  const lostIds = async () => {
    const webhook = await register();
    const other = await register(webhook.companyId);
    const row = { ...idsKey(webhook.companyId), webhookIds: new Set(['wh_gone']) };
    await lose(idsKey(webhook.companyId));
    return { webhook, other, row };
  };

  test('comes back with the webhooks that are there', async () => {
    const { webhook, other, row } = await lostIds();
    expect(await copy(row)).toEqual(copied);
    expect(await idsOf(webhook.companyId)).toEqual([webhook.webhookId, other.webhookId].toSorted());
  });

  test('does not come back for a company without webhooks', async () => {
    expect(await copy({ ...idsKey(newCompanyId()), webhookIds: new Set(['wh_gone']) })).toEqual({ kind: 'same' });
  });

  test('does not name a webhook that is deleted meanwhile, nor forget one that is created', async () => {
    const { webhook, other, row } = await lostIds();
    const remove = () => deleteWebhook(world.store, act(webhook), webhook.webhookId);
    expect(await copy(row, undefined, remove)).toMatchObject(leftMeanwhile);
    // Who removes an id from a set that is lost leaves a row without a set.
    expect(await copy(row, idsKey(webhook.companyId))).toEqual(copied);
    expect(await idsOf(webhook.companyId)).toEqual([other.webhookId]);
    await lose(idsKey(webhook.companyId));
    const create = () => register(webhook.companyId);
    expect(await copy(row, undefined, create)).toMatchObject(leftMeanwhile);
  });
});

test('what is on record of a webhook says nothing of the contract', async () => {
  const webhook = await register();
  const record = await recordsOf(world.store, [world.store.tableName('AuditLog')], startMs).of(webhook.companyId);
  expect(record.contract).toEqual({});
});
