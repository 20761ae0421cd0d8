import { beforeAll, describe, expect, test } from 'vitest';
import { maxWebhooksPerCompany, secretOverlapHours, webhookCodeHours } from '../../../lambdas/api/limits.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  verifyWebhook,
} from '../../../lambdas/data/webhooks/webhook-lifecycle.ts';
import {
  findWebhook,
  idsKey,
  listWebhooks,
  owedFrom,
  readAllWebhooks,
  webhookKey,
} from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit, setAttributes } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const hourMs = 3_600_000;
const url = 'https://hooks.acme.example/heating';

let companies = 0;
const newCompanyId = () => `company${companies++}`;

const secretOf = async ({ webhookId }: { webhookId: string }, version: number) => `secret ${version} of ${webhookId}`;

const create = (companyId: string, ofUrl = url, store = world.store) =>
  createWebhook(store, operatorActOn(companyId), ofUrl, secretOf);

const created = async (companyId = newCompanyId(), ofUrl = url): Promise<Webhook> => {
  const creation = await create(companyId, ofUrl);
  if (creation.outcome !== 'created') throw new Error(`Nothing was created: ${creation.outcome}`);
  return creation.webhook;
};

const stored = ({ companyId, webhookId }: Webhook) => findWebhook(world.store, companyId, webhookId);

/** Writes attributes like the sender of messages. */
const set = ({ companyId, webhookId }: Webhook, values: Partial<Webhook>) =>
  setAttributes(world.store, 'Webhooks', webhookKey(companyId, webhookId), values);

const webhooksOf = async (companyId: string) => (await listWebhooks(world.store, companyId, 100)).webhooks;

describe('creation', () => {
  test('stores and records an unverified webhook that is owed its first message at once, without a secret', async () => {
    const webhook = await created();
    const { companyId, webhookId } = webhook;
    expect(webhookId).toMatch(/^wh_[0-9A-Za-z]{22}$/);
    expect(await stored(webhook)).toEqual({
      companyId,
      webhookId,
      url,
      state: 'unverified',
      createdAtMs: startMs,
      secretVersion: 1,
      code: webhook.code,
      codeExpiresAtMs: startMs + webhookCodeHours * hourMs,
      asked: 1,
      failures: 0,
      ...owedFrom(webhookId, startMs),
    });
    expect(await readAudit(world.store, companyId)).toMatchObject([{ operation: 'test', webhookId, after: { url } }]);
  });

  test('of 20 concurrent requests with different URLs, three succeed and 17 reach the limit', campaign, (context) =>
    playRounds(context, { test: 1, seconds: 5, full: 50 }, async () => {
      const companyId = newCompanyId();
      const creations = Array.from({ length: 20 }, (_, index) => create(companyId, `${url}/${index}`));
      const outcomes = (await Promise.all(creations)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'created').length).toBe(maxWebhooksPerCompany);
      expect((await webhooksOf(companyId)).length).toBe(maxWebhooksPerCompany);
    }),
  );

  test('of 20 concurrent requests with one URL, one succeeds and the others get its id', campaign, (context) =>
    playRounds(context, { test: 1, seconds: 5, full: 50 }, async () => {
      const companyId = newCompanyId();
      const creations = await Promise.all(Array.from({ length: 20 }, () => create(companyId)));
      const [{ webhookId }, ...others] = (await webhooksOf(companyId)) as [Webhook];
      expect(others).toEqual([]);
      expect(creations.filter(({ outcome }) => outcome === 'created').length).toBe(1);
      expect(creations.filter(({ outcome }) => outcome !== 'created')).toEqual(
        Array(19).fill({ outcome: 'webhook-exists', webhookId }),
      );
    }),
  );

  test('takes the place of a deleted webhook, and no further place', async () => {
    const companyId = newCompanyId();
    const [first] = [
      await created(companyId, `${url}/1`),
      await created(companyId, `${url}/2`),
      await created(companyId, `${url}/3`),
    ];
    expect(await create(companyId)).toEqual({ outcome: 'webhook-limit-reached' });
    await deleteWebhook(world.store, operatorActOn(companyId), first.webhookId);
    expect((await create(companyId)).outcome).toBe('created');
    expect((await create(companyId, `${url}/4`)).outcome).toBe('webhook-limit-reached');
  });

  test.each([
    url,
    'https://HOOKS.acme.example/heating',
    'HTTPS://hooks.acme.example:443/heating',
    'https://hooks.acme.example/other/../heating',
  ])('of %s makes no second webhook with that URL, and no audit row', async (again) => {
    const { companyId, webhookId } = await created();
    expect(await create(companyId, again)).toEqual({ outcome: 'webhook-exists', webhookId });
    expect((await webhooksOf(companyId)).length).toBe(1);
    expect((await readAudit(world.store, companyId)).length).toBe(1);
  });

  test.each([
    'https://hooks.acme.example',
    'https://hooks.acme.example/Heating',
    'https://hooks.acme.example/heating/',
    'https://hooks.acme.example/heating?home=1',
    'https://acme.example/heating',
  ])('of another URL, %s, makes another webhook', async (another) => {
    const { companyId } = await created();
    expect((await create(companyId, another)).outcome).toBe('created');
  });

  test('returns the webhook that has the URL even if there is no room for another one', async () => {
    const companyId = newCompanyId();
    await created(companyId, `${url}/1`);
    const { webhookId } = await created(companyId);
    await created(companyId, `${url}/3`);
    expect(await create(companyId)).toEqual({ outcome: 'webhook-exists', webhookId });
  });

  test.each<[string, (webhook: Webhook) => Promise<unknown>]>([
    ['unverified', async () => {}],
    ['disabled', (webhook) => set(webhook, { state: 'disabled', disabledAtMs: startMs })],
    [
      'enabled',
      (webhook) => verifyWebhook(world.store, operatorActOn(webhook.companyId), webhook.webhookId, webhook.code),
    ],
  ])('makes no second webhook if the first is %s', async (_, turnInto) => {
    const webhook = await created();
    await turnInto(webhook);
    expect((await create(webhook.companyId)).outcome).toBe('webhook-exists');
  });

  test('that meets a concurrent creation with the same URL finds that webhook', async () => {
    const companyId = newCompanyId();
    const store = overtakenBy(world.store, () => create(companyId));
    expect((await create(companyId, url, store)).outcome).toBe('webhook-exists');
    expect((await webhooksOf(companyId)).length).toBe(1);
  });

  test('succeeds despite a concurrent creation with another URL, or a concurrent deletion', async () => {
    const companyId = newCompanyId();
    const beside = overtakenBy(world.store, () => create(companyId, `${url}/1`));
    expect((await create(companyId, `${url}/2`, beside)).outcome).toBe('created');
    const [{ webhookId } = { webhookId: '' }] = await webhooksOf(companyId);
    const after = overtakenBy(world.store, () => deleteWebhook(world.store, operatorActOn(companyId), webhookId));
    expect((await create(companyId, `${url}/3`, after)).outcome).toBe('created');
    expect((await webhooksOf(companyId)).length).toBe(2);
  });

  test('returns the first secret, and creates nothing if the secret cannot be derived', async () => {
    const companyId = newCompanyId();
    const creation = await create(companyId);
    expect(creation).toMatchObject({ secret: expect.stringMatching(/^secret 1 of wh_/) });
    const down = () => Promise.reject(new Error('down'));
    await expect(createWebhook(world.store, operatorActOn(companyId), `${url}/2`, down)).rejects.toThrow('down');
    expect((await webhooksOf(companyId)).length).toBe(1);
  });
});

describe('deletion', () => {
  test('by many concurrent requests for one webhook succeeds once; the others do not find it', async () => {
    const { companyId, webhookId } = await created();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => deleteWebhook(world.store, operatorActOn(companyId), webhookId)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'deleted').length).toBe(1);
    expect((await readAudit(world.store, companyId)).length).toBe(2);
    expect(await webhooksOf(companyId)).toEqual([]);
  });
});

describe('verification', () => {
  const verify = ({ companyId, webhookId }: Webhook, code: string | null, nowMs = startMs, store = world.store) =>
    verifyWebhook(store, operatorActOn(companyId, nowMs), webhookId, code);

  test('with the code enables the webhook and owes it a message, even during the delivery of the code', async () => {
    const webhook = await created();
    await set(webhook, { leasedUntilMs: startMs + 60_000, failures: 2, failedSinceMs: startMs });
    const verified = await verify(webhook, webhook.code, startMs + 5);
    const expected = { state: 'enabled', verifiedAtMs: startMs + 5, failures: 0 };
    expect(verified).toMatchObject({ outcome: 'verified', webhook: expected });
    const now = await stored(webhook);
    expect(now).toMatchObject({ ...expected, asked: 2, ...owedFrom(webhook.webhookId, startMs + 5) });
    expect(now?.leasedUntilMs).toBe(startMs + 60_000);
    expect(now?.failedSinceMs).toBeUndefined();
    expect((await readAudit(world.store, webhook.companyId)).at(-1)).toMatchObject({
      webhookId: webhook.webhookId,
      before: { state: 'unverified' },
      after: { state: 'enabled' },
    });
  });

  test('that is repeated changes nothing', async () => {
    const webhook = await created();
    await verify(webhook, webhook.code);
    const before = await stored(webhook);
    for (const code of [webhook.code, null])
      expect((await verify(webhook, code, startMs + webhookCodeHours * hourMs)).outcome).toBe('unchanged');
    expect(await stored(webhook)).toEqual(before);
    expect((await readAudit(world.store, webhook.companyId)).length).toBe(2);
  });

  test('with a wrong code or an expired one is refused', async () => {
    const webhook = await created();
    const lastMs = webhook.codeExpiresAtMs - 1;
    expect((await verify(webhook, 'another')).outcome).toBe('webhook-code-mismatch');
    expect((await verify(webhook, webhook.code, lastMs + 1)).outcome).toBe('webhook-code-mismatch');
    expect((await stored(webhook))?.state).toBe('unverified');
    expect((await verify(webhook, webhook.code, lastMs)).outcome).toBe('verified');
    expect((await verify(webhook, 'another')).outcome).toBe('webhook-code-mismatch');
  });

  test('without a code renews it, after which the old one is refused', async () => {
    const webhook = await created();
    const laterMs = webhook.codeExpiresAtMs;
    const renewed = await verify(webhook, null, laterMs);
    const now = (await stored(webhook)) as Webhook;
    expect(renewed).toMatchObject({ outcome: 'code-renewed', webhook: { state: 'unverified', code: now.code } });
    expect(now).toMatchObject({ asked: 2, codeExpiresAtMs: laterMs + webhookCodeHours * hourMs });
    expect(now.dueAt).toBe(new Date(laterMs).toISOString());
    expect((await verify(webhook, webhook.code, laterMs)).outcome).toBe('webhook-code-mismatch');
    expect((await verify(webhook, now.code, laterMs)).outcome).toBe('verified');
  });

  test('of a disabled webhook starts over: its earlier code does not enable it', async () => {
    const webhook = await created();
    await set(webhook, { state: 'disabled', disabledAtMs: startMs, disabledBecause: 'gone' });
    expect((await verify(webhook, webhook.code)).outcome).toBe('webhook-code-mismatch');
    const renewed = await verify(webhook, null);
    expect(renewed).toMatchObject({ outcome: 'code-renewed', webhook: { state: 'unverified' } });
    const now = (await stored(webhook)) as Webhook;
    expect([now.disabledAtMs, now.disabledBecause]).toEqual([undefined, undefined]);
    expect((await verify(webhook, now.code)).outcome).toBe('verified');
  });

  test('that a new code overtakes is refused; if the same verification overtakes it, it is a repeat', async () => {
    const webhook = await created();
    const renew = overtakenBy(world.store, () => verify(webhook, null));
    expect((await verify(webhook, webhook.code, startMs, renew)).outcome).toBe('webhook-code-mismatch');
    const { code } = (await stored(webhook)) as Webhook;
    const enable = overtakenBy(world.store, () => verify(webhook, code));
    expect((await verify(webhook, code, startMs, enable)).outcome).toBe('unchanged');
    expect((await readAudit(world.store, webhook.companyId)).length).toBe(3);
  });

  test('does not enable a webhook that was disabled concurrently', async () => {
    const webhook = await created();
    const disable = overtakenBy(world.store, () => set(webhook, { state: 'disabled', disabledBecause: 'gone' }));
    expect((await verify(webhook, webhook.code, startMs, disable)).outcome).toBe('webhook-code-mismatch');
    expect((await stored(webhook))?.state).toBe('disabled');
  });

  test('of a webhook that is deleted, before or concurrently, finds nothing and does not recreate it', async () => {
    const webhook = await created();
    const { companyId, webhookId } = webhook;
    const remove = overtakenBy(world.store, () => deleteWebhook(world.store, operatorActOn(companyId), webhookId));
    expect((await verify(webhook, webhook.code, startMs, remove)).outcome).toBe('webhook-not-found');
    expect((await verify(webhook, webhook.code)).outcome).toBe('webhook-not-found');
    expect(await webhooksOf(companyId)).toEqual([]);
  });
});

describe('rotation', () => {
  /** Later than everything before, because audit rows are in the order of time. */
  const rotatedAtMs = startMs + 1;
  const rotate = ({ companyId, webhookId }: Webhook, store = world.store) =>
    rotateWebhookSecret(store, operatorActOn(companyId, rotatedAtMs), webhookId, secretOf);

  test('returns the next secret; the previous one also signs for a day', async () => {
    const webhook = await created();
    const previousSecretUntilMs = rotatedAtMs + secretOverlapHours * hourMs;
    expect(await rotate(webhook)).toEqual({
      outcome: 'rotated',
      secret: `secret 2 of ${webhook.webhookId}`,
      previousSecretUntilMs,
    });
    expect(await stored(webhook)).toEqual({ ...webhook, secretVersion: 2, previousSecretUntilMs });
    const record = await readAudit(world.store, webhook.companyId);
    expect(record.at(-1)).toMatchObject({ before: { secretVersion: 1 }, after: { secretVersion: 2 } });
    expect(JSON.stringify(record)).not.toContain('secret 2');
  });

  test('by two concurrent requests returns different secrets', async () => {
    const webhook = await created();
    const overtaken = overtakenBy(world.store, () => rotate(webhook));
    expect(await rotate(webhook, overtaken)).toMatchObject({ secret: `secret 3 of ${webhook.webhookId}` });
    expect((await stored(webhook))?.secretVersion).toBe(3);
  });

  test('changes nothing if the secret cannot be derived', async () => {
    const webhook = await created();
    const { companyId, webhookId } = webhook;
    const down = () => Promise.reject(new Error('down'));
    await expect(rotateWebhookSecret(world.store, operatorActOn(companyId), webhookId, down)).rejects.toThrow('down');
    expect(await stored(webhook)).toEqual(webhook);
  });

  test('of a webhook that is deleted, before or concurrently, finds nothing and does not recreate it', async () => {
    const webhook = await created();
    const { companyId, webhookId } = webhook;
    const remove = overtakenBy(world.store, () => deleteWebhook(world.store, operatorActOn(companyId), webhookId));
    expect((await rotate(webhook, remove)).outcome).toBe('webhook-not-found');
    expect((await rotate(webhook)).outcome).toBe('webhook-not-found');
    expect(await webhooksOf(companyId)).toEqual([]);
  });
});

test('webhooks are listed by page, in the order of their ids, without the set of ids', async () => {
  const companyId = newCompanyId();
  const ids = [
    await created(companyId, `${url}/1`),
    await created(companyId, `${url}/2`),
    await created(companyId, `${url}/3`),
  ]
    .map(({ webhookId }) => webhookId)
    .toSorted();
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await listWebhooks(world.store, companyId, 2, after);
    seen.push(...page.webhooks.map(({ webhookId }) => webhookId));
    after = page.next;
  } while (after !== undefined);
  expect(seen).toEqual(ids);
  expect(idsKey(companyId).sk < webhookKey(companyId, '').sk).toBe(true);
});

test('webhooks are read strongly consistent: a webhook that was just deleted is not found', async () => {
  for (const read of [() => findWebhook(world.store, 'acme', 'wh_1'), () => listWebhooks(world.store, 'acme', 10)])
    expect(await consistencyOf(read)).toEqual([true]);
  expect(await consistencyOf(() => readAllWebhooks(world.store, 'acme'))).toEqual([true, true]);
});
