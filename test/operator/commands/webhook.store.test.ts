import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acquireLease, endLease } from '../../../lambdas/data/webhooks/deliveries.ts';
import { putAttempt } from '../../../lambdas/data/webhooks/webhook-attempts.ts';
import { owedFrom } from '../../../lambdas/data/webhooks/webhooks.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { newWebhookId, type Webhook } from '../../../lambdas/domain/webhook.ts';
import { readDelivery } from '../../../lambdas/webhooks/delivery-queue.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../../support/operator-integrations.ts';
import { overtakenBy, readAudit } from '../../support/store.ts';
import { putWebhook, receiverHost, stored, webhookOf } from '../../support/webhooks.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let opened: OpenIntegrations;
beforeAll(async () => {
  world = await openWorld();
  opened = await openIntegrations();
  return opened.close;
});
beforeEach(() => opened.purge('webhookMessages'));

const hour = 3_600_000;
const timestamp = (offsetMs = 0) => toTimestamp(startMs + offsetMs);
const options = (more: object = {}) => ({ ...world, connection: { integrations: opened.integrations, ...more } });

const act = (verb: string, { companyId, webhookId }: Webhook, ...own: string[]) =>
  operateForJson(['webhook', verb, companyId, webhookId, '--reason', 'ticket 8', ...own], options());

const queued = async () => (await opened.drain('webhookMessages')).map(({ Body = '' }) => readDelivery(Body));

const onRecord = async ({ companyId }: Webhook) =>
  (await readAudit(world.store, companyId)).filter(({ operation }) => `${operation}`.startsWith('webhook '));

const verified = { verifiedAtMs: startMs - hour };
const nothingOwed = { due: undefined as never, dueAt: undefined as never };
const disabled: Partial<Webhook> = {
  ...verified,
  ...nothingOwed,
  state: 'disabled',
  disabledAtMs: startMs - hour,
  disabledBecause: 'unreachable',
};

describe('webhook list', () => {
  test('shows URL, last message and due message of each webhook, without code or query', async () => {
    const { companyId } = await onboard(world.store);
    const lastAttempt = { atMs: startMs, status: 503, fault: null, durationMs: 12 };
    const failing = { failedSinceMs: startMs - hour, failures: 4, lastAttempt, ...owedFrom('wh_1', startMs + hour) };
    const attempts = [
      { type: 'events.available', messageId: 'msg_2', ...lastAttempt },
      {
        type: 'webhook.verify',
        messageId: 'msg_1',
        atMs: startMs - 1,
        status: null,
        fault: 'timeout',
        durationMs: 5000,
      },
    ] as const;
    for (const each of attempts) await putAttempt(world.store, { companyId, webhookId: 'wh_1' }, each);
    const url = `https://${receiverHost}/heating?token=t0ken#part`;
    const { webhookId } = await putWebhook(companyId, { ...verified, ...failing, url, webhookId: 'wh_1' });
    await putWebhook(companyId, { ...disabled, webhookId: 'wh_2' });
    const { exit, output, stdout } = await operateForJson(['webhook', 'list', companyId], options());
    expect([exit, output.webhooks]).toEqual([
      'ok',
      [
        {
          webhookId,
          url: `https://${receiverHost}/heating`,
          state: 'enabled',
          verifiedAt: timestamp(-hour),
          disabledAt: null,
          disabledBecause: null,
          failingSince: timestamp(-hour),
          lastAttempt: { at: timestamp(), status: 503, fault: null, durationMs: 12 },
          messageDueAt: timestamp(hour),
          attempts: attempts.map(({ atMs, ...each }) => ({ at: toTimestamp(atMs), ...each })),
        },
        {
          webhookId: 'wh_2',
          url: `https://${receiverHost}/heating`,
          state: 'disabled',
          verifiedAt: timestamp(-hour),
          disabledAt: timestamp(-hour),
          disabledBecause: 'unreachable',
          failingSince: null,
          lastAttempt: null,
          messageDueAt: null,
          attempts: [],
        },
      ],
    ]);
    const table = (await operate(['webhook', 'list', companyId], options())).stdout;
    expect(table).toContain(`${timestamp()} 503`);
    expect(table).toMatch(/webhook\.verify +msg_1 +timeout +5000/);
    for (const shown of [stdout, table]) expect(shown).not.toMatch(/c0de|t0ken|whsec/);
  });

  test('reports a company without webhooks, and an unknown company', async () => {
    const { companyId } = await onboard(world.store);
    expect((await operate(['webhook', 'list', companyId], options())).stdout).toContain('no webhooks');
    expect((await operate(['webhook', 'list', 'nobody'], options())).exit).toBe('not-found');
  });
});

describe('webhook disable', () => {
  test('clears due message and failures, with an audit row; a repeat changes nothing', async () => {
    const webhook = await webhookOf({ ...verified, failures: 3, failedSinceMs: startMs - hour });
    expect((await act('disable', webhook, '--dry-run')).output.outcome).toBe('would-change');
    expect([await stored(webhook), await onRecord(webhook)]).toEqual([webhook, []]);
    expect((await act('disable', webhook)).output).toMatchObject({
      outcome: 'changed',
      differences: [
        { what: 'state', before: 'enabled', after: 'disabled' },
        { what: 'disabledAt', before: null, after: timestamp() },
        { what: 'disabledBecause', before: null, after: 'operator' },
      ],
    });
    const { due, dueAt, failedSinceMs, ...kept } = webhook;
    const now = { state: 'disabled', disabledAtMs: startMs, disabledBecause: 'operator', failures: 0 };
    expect(await stored(webhook)).toEqual({ ...kept, ...now });
    expect((await act('disable', webhook)).output.outcome).toBe('unchanged');
    const { webhookId } = webhook;
    expect(await onRecord(webhook)).toMatchObject([
      { operation: 'webhook disable', webhookId, reason: 'ticket 8', after: { state: 'disabled' } },
    ]);
  });

  test('holds against the result of a message that is being sent', async () => {
    const webhook = await webhookOf(verified);
    const taking = await acquireLease(world.store, webhook, startMs);
    if (taking.outcome !== 'taken') throw new Error(`The lease is not taken: ${taking.outcome}`);
    await act('disable', webhook);
    const again = { kind: 'again', atMs: startMs + 5000, failedSinceMs: startMs } as const;
    await endLease(world.store, { taken: taking.webhook, ending: again, nowMs: startMs });
    const ended = await stored(webhook);
    expect([ended?.state, ended?.due, ended?.dueAt]).toEqual(['disabled', undefined, undefined]);
  });

  test('reports an unknown webhook', async () => {
    const webhook = await webhookOf();
    const { exit, stderr } = await act('disable', { ...webhook, webhookId: 'wh_other' });
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining(`webhook list ${webhook.companyId}`)]);
  });
});

describe('webhook enable', () => {
  test('enables an unreachable webhook, and queues a message, with an audit row; a repeat does nothing', async () => {
    const webhook = await webhookOf(disabled);
    const before = await stored(webhook);
    expect((await act('enable', webhook, '--dry-run')).output.outcome).toBe('would-change');
    expect([await stored(webhook), await queued()]).toEqual([before, []]);
    expect((await act('enable', webhook)).output.outcome).toBe('changed');
    const { disabledAtMs, disabledBecause, ...kept } = webhook;
    const owed = owedFrom(webhook.webhookId, startMs);
    const now = { state: 'enabled', asked: webhook.asked + 1, failures: 0, ...owed };
    expect(await stored(webhook)).toEqual({ ...kept, ...now });
    const { companyId, webhookId } = webhook;
    expect(await queued()).toEqual([{ companyId, webhookId }]);
    expect((await act('enable', webhook)).output.outcome).toBe('unchanged');
    expect(await queued()).toEqual([]);
    expect(await onRecord(webhook)).toMatchObject([
      { operation: 'webhook enable', webhookId, reason: 'ticket 8', after: { state: 'enabled' } },
    ]);
  });

  test('refuses a webhook that was never verified, and one whose contract has ended', async () => {
    const { verifiedAtMs, ...neverVerified } = disabled;
    const unknown = await act('enable', await webhookOf(neverVerified));
    expect([unknown.exit, unknown.stderr]).toEqual(['refused', expect.stringContaining('{"code":null}')]);
    const ended = await act('enable', await webhookOf(disabled, { state: 'ended' }));
    expect([ended.exit, ended.stderr]).toEqual(['refused', expect.stringContaining('has ended')]);
    expect(await queued()).toEqual([]);
  });
});

describe('webhook test', () => {
  test('makes a message to a failing webhook due now and queues it, with an audit row', async () => {
    const webhookId = newWebhookId();
    const failing = { failures: 9, failedSinceMs: startMs - hour, ...owedFrom(webhookId, startMs + hour) };
    const webhook = await webhookOf({ ...verified, ...failing, webhookId });
    expect((await act('test', webhook, '--dry-run')).output.outcome).toBe('would-change');
    expect([await stored(webhook), await queued()]).toEqual([webhook, []]);
    expect((await act('test', webhook)).output.outcome).toBe('changed');
    expect(await stored(webhook)).toEqual({ ...webhook, asked: webhook.asked + 1, ...owedFrom(webhookId, startMs) });
    expect(await queued()).toEqual([{ companyId: webhook.companyId, webhookId }]);
    expect(await onRecord(webhook)).toMatchObject([{ operation: 'webhook test', webhookId, reason: 'ticket 8' }]);
  });

  test('sends a code again that was not confirmed, until it expires', async () => {
    const webhook = await webhookOf({ state: 'unverified', ...nothingOwed });
    expect((await act('test', webhook)).output.outcome).toBe('changed');
    expect(await stored(webhook)).toMatchObject(owedFrom(webhook.webhookId, startMs));
  });

  test.each([
    ['a disabled one', disabled, {}, 'webhook enable'],
    ['one whose code has expired', { state: 'unverified', codeExpiresAtMs: startMs }, {}, 'request a new one'],
    ['one of a suspended company', verified, { state: 'suspended' }, 'is suspended'],
    ['one of an ended contract', verified, { state: 'ended' }, 'has ended'],
  ] as const)('refuses %s', async (_, overrides, contract, said) => {
    const webhook = await webhookOf(overrides, contract);
    const before = await stored(webhook);
    const { exit, stderr } = await act('test', webhook);
    expect([exit, stderr]).toEqual(['refused', expect.stringContaining(said)]);
    expect([await stored(webhook), await queued(), await onRecord(webhook)]).toEqual([before, [], []]);
  });

  test('says that the stage sends the message soon if it cannot be queued', async () => {
    const webhook = await webhookOf({ ...verified, ...nothingOwed });
    const urlOf = () => `${opened.queueEndpoint}/000000000000/gone`;
    const argv = ['webhook', 'test', webhook.companyId, webhook.webhookId, '--reason', 'ticket 8'];
    const { exit, stderr } = await operate(argv, options({ integrations: { ...opened.integrations, urlOf } }));
    expect([exit, stderr]).toEqual(['ok', expect.stringContaining('within a minute')]);
    expect(await stored(webhook)).toMatchObject(owedFrom(webhook.webhookId, startMs));
  });
});

test.each(
  ['disable', 'enable', 'test'].flatMap((verb) =>
    [{ code: 'another' }, { state: 'unverified' } as const].map((change) => [verb, change] as const),
  ),
)('webhook %s changes nothing if the webhook changes concurrently: %j', async (verb, change) => {
  const webhook = await webhookOf(verb === 'enable' ? disabled : verified);
  const changed = { ...webhook, ...change };
  const store = overtakenBy(world.store, () => putWebhook(webhook.companyId, changed));
  const argv = ['webhook', verb, webhook.companyId, webhook.webhookId, '--reason', 'ticket 8'];
  const { exit } = await operate(argv, { ...options(), store });
  expect(exit).toBe('conflict');
  expect(await stored(webhook)).toEqual(JSON.parse(JSON.stringify(changed)));
  expect([await onRecord(webhook), await queued()]).toEqual([[], []]);
});
