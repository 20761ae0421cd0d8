import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transact } from '../../lambdas/data/store/writes.ts';
import { oweMessages } from '../../lambdas/data/webhooks/deliveries.ts';
import { findWebhook, updateIfAsSeen } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../lambdas/domain/webhook.ts';
import { webhookMessagesFile } from '../../local/demo/webhook-message-log.ts';
import { secretsFile } from '../../local/demo/webhook-receiver.ts';
import { proven } from '../support/campaign.ts';
import { openService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService({ isWithoutBackend: true });
});
afterAll(() => service?.close());

type Message = {
  readonly host: string;
  readonly isVerified: boolean | null;
  readonly status: number;
  readonly body: string;
};

const arrived = (): Message[] =>
  readFileSync(join(service.directory, webhookMessagesFile), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const received = (type: string) =>
  eventually(() => {
    const found = arrived().find(({ body }) => JSON.parse(body).type === type);
    if (!found) throw new Error(`No ${type} has arrived.`);
    return { ...found, ...JSON.parse(found.body) };
  });
/** Resolves to the event of this type on the buses of this run. */
const notice = (detailType: string) =>
  eventually(() => {
    const lines = readFileSync(join(service.directory, 'logs/events.log'), 'utf8').trim().split('\n');
    const found = lines.map((line) => JSON.parse(line)).find((event) => event['detail-type'] === detailType);
    if (!found) throw new Error(`No notice "${detailType}" is on the bus.`);
    return found;
  });

test(
  'a webhook is registered, verified, tested and notified, and operators are notified when it is disabled',
  proven,
  async () => {
    const [company] = service.demo.companies;
    const apiKey = company?.apiKey as string;
    const post = (path: string, body?: object) =>
      service.send({
        method: 'POST',
        path,
        apiKey,
        ...(body && { rawHeaders: ['content-type', 'application/json'], body: JSON.stringify(body) }),
      });
    const [host] = service.local.receiverHosts;

    const created = await post('/webhooks', { url: `https://${host}/heating` });
    expect(created.status).toBe(201);
    const { webhookId, secret } = created.body as { webhookId: string; secret: string };
    await service.runSchedules();
    const { data, isVerified } = await received('webhook.verify');
    expect([data.webhookId, isVerified]).toEqual([webhookId, null]);

    // As Windows saves it, with a comment that is no UTF-8.
    const lines = [Buffer.from('\uFEFF# '), Buffer.from('Schlüssel\r\n', 'latin1'), Buffer.from(`${secret}\r\n`)];
    writeFileSync(join(service.directory, secretsFile), Buffer.concat(lines));
    const verified = await post(`/webhooks/${webhookId}/verification`, { code: data.code });
    expect(verified.body).toMatchObject({ state: 'enabled' });
    const tested = await post(`/webhooks/${webhookId}/test`);
    expect(tested.body).toMatchObject({
      rightSignature: { status: 204 },
      wrongSignature: { status: 401 },
      wrongSignatureRefused: true,
    });

    await oweMessages(service.local.store, company?.companyId as string, Date.now());
    await service.runSchedules();
    expect(await received('events.available')).toMatchObject({
      host,
      isVerified: true,
      status: 204,
      data: { webhookId },
    });

    const { store } = service.local;
    const seen = (await findWebhook(store, company?.companyId as string, webhookId)) as Webhook;
    const disabled = { state: 'disabled', disabledAtMs: Date.now(), disabledBecause: 'unreachable' } as const;
    await transact(store, { webhook: updateIfAsSeen(store, seen, ['state'], { set: disabled }) });
    expect(await notice('Webhook disabled')).toMatchObject({
      source: 'partner-api',
      detail: { companyId: seen.companyId, webhookId, reason: 'unreachable' },
    });
    expect(service.output()).toContain('is no secret of a webhook; a secret begins with whsec_.');
    for (const hidden of [secret, data.code]) expect(service.output()).not.toContain(hidden);
  },
);
