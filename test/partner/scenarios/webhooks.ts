import {
  type SignedContent,
  signatureHeaders,
  testMessageOf,
  webhookMessageOf,
} from '../../../lambdas/domain/webhook-message.ts';
import { type Action, forEach, nowMs, type Scenario, type Scenarios } from './scenario.ts';

type Verification = Omit<Extract<Action, { do: 'verify' }>, 'do'>;

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
export const secret = secretOf(1);
const [previous, foreign] = [secretOf(2), secretOf(3)];

const webhook = { webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 3 } as const;
const content = webhookMessageOf(webhook, nowMs);
const seconds = Math.floor(nowMs / 1000);

const requestOf = (signed: SignedContent = content, secrets: readonly string[] = [secret]): Verification => ({
  headers: signatureHeaders(signed, secrets),
  body: signed.body,
  secrets: secret,
});
const message = requestOf();
const { headers } = message;
const signature = headers['webhook-signature'] as string;
const withHeader = (name: string, value: string | string[] | undefined): Verification => ({
  ...message,
  headers: { ...headers, [name]: value },
});
const signed = (value: string) => withHeader('webhook-signature', value);
const withBody = (body: string) => requestOf({ ...content, body });

const verify = (request: Verification, outcome: object): Scenario => ({
  program: [{ do: 'verify', ...request }],
  steps: '',
  outcome,
});
const timestamp = '2036-03-10T12:00:00Z';
const verified = (request: Verification, members: object = {}) =>
  verify(request, {
    ok: true,
    value: { id: content.id, type: 'events.available', timestamp, data: { webhookId: 'wh_1' }, ...members },
  });
const rejected = (code: string, request: Verification) => verify(request, { ok: false, code });

const mapped = (change: (name: string, value: unknown) => readonly [string, unknown]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value))) as Verification['headers'];

const verification = webhookMessageOf({ ...webhook, state: 'unverified' }, nowMs);
const test = testMessageOf(webhook, 'webhook.test', nowMs);
const both = requestOf(content, [secret, previous]);
const newer = { type: 'webhook.paused', timestamp, data: { until: null } };

const accepted: Scenarios = {
  'a message, and returns its id, type and data': verified(message),
  'a message as bytes': verified({ ...message, isBytes: true }),
  'a verification': verified(requestOf(verification), {
    id: verification.id,
    type: 'webhook.verify',
    data: { webhookId: 'wh_1', code: 'c0de' },
  }),
  'a message that was requested as a test': verified(requestOf(test), { id: test.id, type: 'webhook.test' }),
  'a message of a newer type, and marks it as unknown': verified(withBody(JSON.stringify(newer)), {
    type: 'unknown-message',
    newType: 'webhook.paused',
    data: { until: null },
  }),
  'data of any form in a message of a newer type': verified(withBody(JSON.stringify({ ...newer, data: [1] })), {
    type: 'unknown-message',
    newType: 'webhook.paused',
    data: [1],
  }),
  'names of headers in capitals': verified({
    ...message,
    headers: mapped((name, value) => [name.toUpperCase(), value]),
  }),
  'values of headers in lists': verified({ ...message, headers: mapped((name, value) => [name, [value]]) }),
  'two signatures, with the newer secret': verified(both),
  'two signatures, with the older secret': verified({ ...both, secrets: previous }),
  'two signatures, with both secrets': verified({ ...both, secrets: [secret, previous] }),
  'two signatures, with a wrong and a right secret': verified({ ...both, secrets: [foreign, previous] }),
  'one signature, with two secrets': verified({
    ...requestOf(content, [previous]),
    secrets: [secret, previous],
  }),
  'a signature beside that of another version': verified(signed(`v1a,AAAA ${signature}`)),
};

const wrong = signatureHeaders(content, [foreign])['webhook-signature'];

/** The signature with a character that differs only in the unused bits of its last Base64 group. */
const sameBytes = signature.replace(/.=$/, ([last = '']) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`);

const behind = (count: number) => [...Array(count).fill(wrong), signature].join(' ');
const withMark = { ...message, body: `\uFEFF${content.body}` };

const signatures: Scenarios = {
  'the right signature after nine wrong ones': verified(signed(behind(9))),
  'the right signature after ten wrong ones, which is more than the service ever sends': rejected(
    'signature-wrong',
    signed(behind(10)),
  ),
  ...forEach(
    [
      ['of another secret', requestOf(content, [foreign])],
      ['that two other secrets made', { ...both, secrets: foreign }],
      ['of another body', { ...message, body: `${content.body} ` }],
      ['of a body without its byte order mark', withMark],
      ['of a body without its byte order mark, as bytes', { ...withMark, isBytes: true }],
      ['of another id', withHeader('webhook-id', 'msg_other')],
      ['of another time', withHeader('webhook-timestamp', `${seconds + 1}`)],
      ['of another version', signed(signature.replace('v1,', 'v2,'))],
      ['without a version', signed(signature.replace('v1,', ''))],
      ['that is truncated', signed(signature.slice(0, -2))],
      ['with another padding', signed(`${signature}=`)],
      ['in another spelling of the same bytes', signed(sameBytes)],
      ['that is empty', signed('v1,')],
      ['that is a comma', signed(',')],
      ['that is a space', signed(' ')],
    ] as const,
    ([name, request]) => [`a signature ${name}`, rejected('signature-wrong', request)],
  ),
};

const clocks: Scenarios = {
  ...forEach([300, -300, 301, -301], (ago) => {
    const request = requestOf({ ...content, timestampMs: nowMs - ago * 1000 });
    const scenario = Math.abs(ago) > 300 ? rejected('time-off', request) : verified(request);
    return [`a message that was signed ${ago} seconds ago`, scenario];
  }),
  // Only whole seconds count: the fraction of the current second is dropped.
  ...forEach([300.75, -299.25, 301, -300.25], (later) => {
    const request = { ...message, nowMs: (seconds + later) * 1000 };
    const scenario = Math.abs(Math.floor(later)) > 300 ? rejected('time-off', request) : verified(request);
    return [`a message ${later} seconds later, at a time that the program passes`, scenario];
  }),
};

/** The right time, in the digits of Arabic. */
const arabic = `${seconds}`.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

const malformed: Scenarios = {
  ...forEach(['NaN', '1e9', '-1', `${seconds}.0`, ` ${seconds}`, '9'.repeat(5000), arabic], (time) => [
    `the time ${time.slice(0, 20)}`,
    rejected('time-off', withHeader('webhook-timestamp', time)),
  ]),
  ...forEach(['webhook-id', 'webhook-timestamp', 'webhook-signature'], (name) => [
    `a request without ${name}`,
    rejected('header-missing', withHeader(name, undefined)),
  ]),
  ...forEach(['webhook-id', 'webhook-timestamp', 'webhook-signature'], (name) => [
    `a request with an empty ${name}`,
    rejected('header-missing', withHeader(name, '')),
  ]),
  ...forEach(['webhook-id', 'webhook-timestamp', 'webhook-signature'], (name) => [
    `a request with an empty list of ${name}`,
    rejected('header-missing', withHeader(name, [])),
  ]),
  ...forEach(
    ['', 'null', '[]', '{}', '{"type":1,"timestamp":"t","data":{}}', '{"type":"t","timestamp":"t","data":1}'],
    (body) => [`the signed body ${body}`, rejected('body-unreadable', withBody(body))],
  ),
};

const refused = (given: string | readonly string[], detail: string) =>
  // The whole text, so it does not quote the secret.
  verify({ ...message, secrets: given }, { ok: false, code: 'invalid-argument', detail });

const secrets: Scenarios = {
  'an empty list of secrets': refused([], 'Expected one or more secrets of the webhook, but received none.'),
  ...forEach(['', secret.slice(0, -8), `${secret}\n`, secret.slice('whsec_'.length), [secret, '']], (given) => [
    `the malformed secret ${JSON.stringify(given)}`,
    refused(
      given,
      'Expected a secret as createWebhook returned it: whsec_ and 44 characters. It may be truncated or end with a line break.',
    ),
  ]),
};

const all = Object.entries({ ...accepted, ...signatures, ...clocks, ...malformed, ...secrets });

export const webhooks: Scenarios = forEach(all, ([name, scenario]) => [
  `${(scenario.outcome as { ok: boolean }).ok ? 'accepts' : 'rejects'} ${name}`,
  scenario,
]);
