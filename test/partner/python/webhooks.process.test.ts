import { beforeAll, expect, test } from 'vitest';
import { signatureHeaders, webhookMessageOf } from '../../../lambdas/domain/webhook-message.ts';
import { verifyWebhookMessage, WebhookMessageError } from '../../../partner/client/webhooks.ts';
import { playInPython, python, rowsOf } from './driver.ts';

// Both clients play the same scenarios. The TypeScript client, which has its own tests, defines the expected results.

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [current, previous, foreign] = [secretOf(1), secretOf(2), secretOf(3)];
const nowMs = Date.parse('2036-03-10T12:00:00.750Z');
const webhook = { webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 3 } as const;
const content = webhookMessageOf(webhook, nowMs);

type WebhookScenario = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly isBytes?: boolean;
  readonly secrets: string | readonly string[];
  readonly nowMs: number;
};

const messages = ((): Readonly<Record<string, WebhookScenario>> => {
  const headers = signatureHeaders(content, [current]);
  const right = headers['webhook-signature'] as string;
  const message = { headers, body: content.body, secrets: current, nowMs };
  const with_ = (name: string, value: string | string[] | undefined) => ({
    ...message,
    headers: { ...headers, [name]: value },
  });
  const withSignature = (value: string) => with_('webhook-signature', value);
  const both = { ...message, headers: signatureHeaders(content, [current, previous]) };
  const withBody = (body: string) => ({ ...message, headers: signatureHeaders({ ...content, body }, [current]), body });
  const wrong = signatureHeaders(content, [foreign])['webhook-signature'];
  const behind = (count: number) => [...Array(count).fill(wrong), right].join(' ');
  const named: Record<string, WebhookScenario> = {
    'a message': message,
    'a message as bytes': { ...message, isBytes: true },
    'names in capitals': {
      ...message,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    },
    'values in lists': {
      ...message,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    },
    'two signatures, the newer secret': both,
    'two signatures, the older secret': { ...both, secrets: previous },
    'two signatures, both secrets': { ...both, secrets: [foreign, previous] },
    'two signatures, a third secret': { ...both, secrets: foreign },
    'a verification': {
      ...message,
      headers: signatureHeaders(webhookMessageOf({ ...webhook, state: 'unverified' }, nowMs), [current]),
      body: webhookMessageOf({ ...webhook, state: 'unverified' }, nowMs).body,
    },
    'another body': { ...message, body: `${content.body} ` },
    'a byte order mark': { ...message, body: `\uFEFF${content.body}` },
    'no signature': withSignature(' '),
    'another version': withSignature(right.replace('v1,', 'v2,')),
    'a version beside it': withSignature(`v1a,AAAA ${right}`),
    'a signature that is cut off': withSignature(right.slice(0, -2)),
    'another spelling of the same bytes': withSignature(
      right.replace(/.=$/, ([last = '']) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`),
    ),
    'nine signatures before': withSignature(behind(9)),
    'ten signatures before': withSignature(behind(10)),
    'another id': with_('webhook-id', 'msg_other'),
    'another time': with_('webhook-timestamp', String(Math.floor(nowMs / 1000) + 1)),
  };
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    for (const [index, value] of ['', [], undefined].entries())
      named[`no ${name} ${index}`] = with_(name, value as string);
  for (const seconds of [300, 301, -300, -301])
    named[`${seconds} seconds from now`] = { ...message, nowMs: Math.floor(nowMs / 1000 + seconds) * 1000 };
  // Only whole seconds count: the fraction of the current second is dropped.
  for (const seconds of [300.75, -299.25, -300.25])
    named[`${seconds} seconds from now`] = { ...message, nowMs: (Math.floor(nowMs / 1000) + seconds) * 1000 };
  for (const time of ['NaN', '1e9', '-1', '2088763200.0', ' 2088763200', '9'.repeat(5000), '٣'])
    named[`the time ${time.slice(0, 20)}`] = with_('webhook-timestamp', time);
  for (const body of [
    '',
    'null',
    '[]',
    '{}',
    '{"type":1,"timestamp":"t","data":{}}',
    '{"type":"t","timestamp":"t","data":1}',
    '{"type":"t","timestamp":"t","data":[]}',
    '{"type":"webhook.test","timestamp":"t","data":[1]}',
  ])
    named[`the body ${body}`] = withBody(body);
  named['a newer type'] = withBody('{"type":"webhook.paused","timestamp":"t","data":{"until":null}}');
  for (const wrong of ['', current.slice(0, -8), `${current}\n`, current.slice('whsec_'.length), [current, ''], []])
    named[`the secret ${JSON.stringify(wrong)}`] = { ...message, secrets: wrong };
  return named;
})();

const verdictOf = ({ secrets, nowMs: now, isBytes, ...request }: WebhookScenario) =>
  verifyWebhookMessage(request, secrets, { nowMs: now }).catch((error: unknown) =>
    error instanceof WebhookMessageError ? error.refusal : 'fault of the call',
  );

python('a webhook message in Python:', () => {
  let verdicts: unknown[];
  beforeAll(async () => {
    verdicts = await playInPython(Object.values(messages).map((each) => ({ play: 'webhook', ...each })));
  });

  test.each(rowsOf(messages))('%s has the same verdict as in TypeScript', async (_, message, index) => {
    expect(verdicts[index]).toEqual(await verdictOf(message));
  });

  test('the scenarios include accepted and rejected messages', () => {
    expect(verdicts.filter((each) => typeof each === 'object').length).toBeGreaterThan(10);
    for (const refusal of ['header-missing', 'time-off', 'signature-wrong', 'body-unreadable', 'fault of the call'])
      expect(verdicts).toContain(refusal);
  });
});
