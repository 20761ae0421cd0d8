import * as z from 'zod/mini';
import { maxUrlCharacters, maxWebhooksPerCompany, secretOverlapHours, webhookCodeHours } from '../limits.ts';
import { count, type Documentation, id, line, matching, timestamp, url, word } from './common.ts';

export const webhookStates = ['unverified', 'enabled', 'disabled'] as const;

/** It answered 410, or nothing good for too long; its contract ended; an operator disabled it. */
export const disablingReasons = ['gone', 'unreachable', 'contract-ended', 'operator'] as const;

/**
 * What a message is about: that there is something to read, the code of the handshake, or a test that the partner requested.
 * It contains no personal data.
 */
export const webhookMessageTypes = ['events.available', 'webhook.verify', 'webhook.test'] as const;

const maxFaultCharacters = 100;

/** What became of one request to the URL. */
const attempt = () => ({
  status: z.nullable(z.int().check(z.minimum(100), z.maximum(599))),
  fault: z.nullable(line(1, maxFaultCharacters)),
  durationMs: count(),
});

export const webhook = () =>
  z.looseObject({
    webhookId: id(),
    url: url(),
    state: z.enum(webhookStates),
    createdAt: timestamp(),
    verifiedAt: z.nullable(timestamp()),
    disabledAt: z.nullable(timestamp()),
    disabledBecause: z.nullable(z.enum(disablingReasons)),
    previousSecretUntil: z.nullable(timestamp()),
    failingSince: z.nullable(timestamp()),
    lastAttempt: z.nullable(z.looseObject({ at: timestamp(), ...attempt() })),
  });

const secret = () => matching(/^whsec_[A-Za-z0-9+/]{43}=$/, 50);

export const webhookAttempt = () =>
  z.looseObject({
    at: timestamp(),
    type: word(webhookMessageTypes.filter((type) => type !== 'webhook.test')),
    messageId: matching(/^msg_[A-Za-z0-9]+$/, 64),
    ...attempt(),
    nextAttemptAt: z.nullable(timestamp()),
  });

/** This answer and the next are the only ones that ever show a secret. */
export const webhookCreated = () => z.looseObject({ ...webhook().shape, secret: secret() });

export const webhookSecret = () =>
  z.looseObject({ webhookId: id(), secret: secret(), previousSecretUntil: timestamp() });

export const webhookTest = () =>
  z.looseObject({
    rightSignature: z.looseObject(attempt()),
    wrongSignature: z.looseObject(attempt()),
    wrongSignatureRefused: z.nullable(z.boolean()),
  });

export const webhookTestRequest = () => z.strictObject({ type: z.optional(z.enum(webhookMessageTypes)) });

/** The rest of what is asked of a URL, no pattern can tell. */
export const webhookCreation = () =>
  z.strictObject({ url: matching(/^https:\/\/[!-~]{1,2040}$/, maxUrlCharacters, expectedUrl) });

const expectedUrl = `Expected a URL that begins with https://, of at most ${maxUrlCharacters} ASCII characters.`;

export const webhookVerification = () =>
  z.strictObject({ code: z.nullable(matching(/^[0-9A-Za-z]{1,64}$/, 64, expectedCode)) });

const expectedCode = 'Expected the code of a webhook.verify message, unchanged, or null.';

const exampleWebhook = () => ({
  webhookId: 'wh_6mQ2cX0yVb9TzL4pRk7WsE',
  url: 'https://hooks.acme.example/heating',
  state: 'enabled' as const,
  createdAt: '2026-11-21T10:00:00Z',
  verifiedAt: '2026-11-21T10:00:02Z',
  disabledAt: null,
  disabledBecause: null,
  previousSecretUntil: null,
  failingSince: null,
  lastAttempt: { at: '2026-11-21T10:16:03Z', status: 204, fault: null, durationMs: 87 },
});

const exampleSecret = `whsec_${'0'.repeat(43)}=`;

const secretDescription =
  'The secret with which the messages of this webhook are signed. No other response shows it; store it where your receiver can read it.';

const attemptDescriptions = () => ({
  status: 'The status of the response of your endpoint; null if there was no response.',
  fault:
    'Why the service got no response, such as name-not-resolved, no-ipv4-address or timeout; null if there was a response.',
  durationMs: 'The duration of the attempt, in milliseconds.',
});

const webhookDescriptions = () => ({
  webhookId: 'The id of the webhook. Each message contains it.',
  url: 'The URL to which messages are sent.',
  state:
    'Unverified until the code of its first message is sent back; then enabled. A disabled webhook receives no messages until it is verified again.',
  createdAt: 'When the webhook was created, UTC.',
  verifiedAt: 'When the webhook was last verified, UTC; null if it never was.',
  disabledAt: 'When the webhook was disabled, UTC; null if it is not disabled.',
  disabledBecause:
    'Why the webhook is disabled: your endpoint responded with 410 (gone), no message arrived for too long (unreachable), the contract has ended (contract-ended), or the operator disabled it (operator). Null if it is not disabled.',
  previousSecretUntil: `Until this time, messages are also signed with the previous secret, UTC: ${secretOverlapHours} hours from the change. Null if this time has passed.`,
  failingSince:
    'The time of the first failed attempt since the last success, UTC; null if the last attempt did not fail.',
  lastAttempt: {
    description: 'The result of the last attempt to send a message; null before the first attempt.',
    properties: { at: 'The time of the attempt, UTC.', ...attemptDescriptions() },
  },
});

export const webhookDocs = (): Documentation<typeof webhook> => ({
  example: exampleWebhook(),
  properties: webhookDescriptions(),
});

export const webhookCreatedDocs = (): Documentation<typeof webhookCreated> => ({
  example: {
    ...exampleWebhook(),
    state: 'unverified',
    verifiedAt: null,
    lastAttempt: null,
    secret: exampleSecret,
  },
  properties: { ...webhookDescriptions(), secret: secretDescription },
});

export const webhookSecretDocs = (): Documentation<typeof webhookSecret> => ({
  example: {
    webhookId: exampleWebhook().webhookId,
    secret: exampleSecret,
    previousSecretUntil: '2026-11-22T10:00:00Z',
  },
  properties: {
    webhookId: webhookDescriptions().webhookId,
    secret: secretDescription,
    previousSecretUntil: `Until this time, messages are also signed with the previous secret, UTC: ${secretOverlapHours} hours.`,
  },
});

export const webhookTestDocs = (): Documentation<typeof webhookTest> => ({
  example: {
    rightSignature: { status: 204, fault: null, durationMs: 87 },
    wrongSignature: { status: 401, fault: null, durationMs: 31 },
    wrongSignatureRefused: true,
  },
  properties: {
    rightSignature: {
      description: 'The result of a message with a valid signature. The status should be 200 to 299.',
      properties: attemptDescriptions(),
    },
    wrongSignature: {
      description: 'The result of a message with an invalid signature. The status should not be 200 to 299.',
      properties: attemptDescriptions(),
    },
    wrongSignatureRefused:
      'Whether your endpoint refused the invalid signature; null if it did not respond. If false, your endpoint accepts messages from anybody.',
  },
});

export const webhookAttemptDocs = (): Documentation<typeof webhookAttempt> => ({
  example: {
    at: '2026-11-21T10:16:07Z',
    type: 'events.available',
    messageId: 'msg_5f0c19a5e23b4d7a9c1e6f8b0d2a4c6e',
    status: null,
    fault: 'timeout',
    durationMs: 5000,
    nextAttemptAt: '2026-11-21T10:17:07Z',
  },
  properties: {
    at: 'The time of the attempt, UTC.',
    type: 'The type of the message. More types may be added.',
    messageId:
      'The id of the message, which its header `webhook-id` contains. A retry has the same id, unless a further event or a new code came since the last attempt.',
    ...attemptDescriptions(),
    nextAttemptAt:
      'When the service sends the message again, UTC; null if the message has arrived or was given up, or if a later attempt exists.',
  },
});

export const webhookTestRequestDocs = (): Documentation<typeof webhookTestRequest> => ({
  example: { type: 'events.available' },
  properties: {
    type: 'The type of the two messages. The default is `webhook.test`. The code of a `webhook.verify` message that you request here is not valid.',
  },
});

export const webhookCreationDocs = (): Documentation<typeof webhookCreation> => ({
  example: { url: exampleWebhook().url },
  properties: {
    url: `The URL for messages: https, port 443, a host name that is registered for your company or a subdomain of one. The name must resolve to an IPv4 address; \`lastAttempt\` of the first message shows whether it does. A company may have ${maxWebhooksPerCompany} webhooks.`,
  },
});

export const webhookVerificationDocs = (): Documentation<typeof webhookVerification> => ({
  example: { code: '2nYxQe7TzL4pRk7WsE6mQ2' },
  properties: {
    code: `The \`code\` of the last webhook.verify message, at most ${webhookCodeHours} hours old. Null requests a message with a new code.`,
  },
});
