import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyWebhookMessage } from '../../../partner/client/webhooks.ts';
import { nowMs, type Scenario } from '../scenarios/scenario.ts';
import { secret, webhooks } from '../scenarios/webhooks.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: nowMs }));
afterEach(() => void vi.useRealTimers());

const requestOf = (name: string) => {
  const [action] = (webhooks[name] as Scenario).program;
  if (action?.do !== 'verify') throw new Error(`There is no scenario of a webhook message: ${name}`);
  return { headers: action.headers as Record<string, string>, body: action.body };
};

test('a message is accepted in the request format of each platform', async () => {
  const { headers, body } = requestOf('accepts a message, and returns its id, type and data');
  for (const given of [headers, new Headers(headers)])
    for (const each of [body, Buffer.from(body), new TextEncoder().encode(body)])
      expect(await verifyWebhookMessage({ headers: given, body: each }, secret)).toMatchObject({
        type: 'events.available',
      });
});

describe('a verifier of Standard Webhooks also', () => {
  test.each([
    'accepts a message, and returns its id, type and data',
    'accepts two signatures, with the newer secret',
    'accepts a signature beside that of another version',
    'rejects a signature of another secret',
    'rejects a signature of another body',
    'rejects a signature of another version',
    'rejects a signature without a version',
    'rejects a signature in another spelling of the same bytes',
    ...[300, -300].map((seconds) => `accepts a message that was signed ${seconds} seconds ago`),
    ...[301, -301].map((seconds) => `rejects a message that was signed ${seconds} seconds ago`),
  ])('%s', (name) => {
    const { headers, body } = requestOf(name);
    const verified = () => new Verifier(secret).verify(body, headers);
    const { ok } = (webhooks[name] as Scenario).outcome as { ok: boolean };
    if (ok) expect(verified).not.toThrow();
    else expect(verified).toThrow();
  });
});
