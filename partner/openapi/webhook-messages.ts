import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { id, matching, type Schema, timestamp } from '../../lambdas/api/schemas/common.ts';
import { webhookDocs, webhookVerificationDocs } from '../../lambdas/api/schemas/webhook.ts';
import {
  type SignedContent,
  signatureHeaders,
  testMessageOf,
  type WebhookMessageType,
  webhookMessageOf,
} from '../../lambdas/domain/webhook-message.ts';
import { describe, type JsonSchema, toJsonSchema, typeNameOf } from './json-schema.ts';
import { tagOf } from './tags.ts';

const { webhookId } = webhookDocs().example;
const code = webhookVerificationDocs().example.code ?? '';
const sentMs = Date.parse('2026-11-21T10:16:02Z');
const exampleSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;

type Message = {
  readonly summary: string;
  readonly description: string;
  readonly data?: Readonly<Record<string, z.ZodMiniType>>;
  readonly example: SignedContent;
};

/** The messages that the service sends to webhooks, with examples from the code that sends them. */
const webhookMessages: Readonly<Record<WebhookMessageType, Message>> = {
  'events.available': {
    summary: 'Events available',
    description: 'The feed has something new: respond, then read the feed from your cursor.',
    example: webhookMessageOf({ webhookId, state: 'enabled', code, asked: 1 }, sentMs),
  },
  'webhook.verify': {
    summary: 'Webhook verification',
    description: 'The first message to a webhook. Send its code back with `verifyWebhook`.',
    data: { code: matching(/^[0-9A-Za-z]{1,64}$/, 64) },
    example: webhookMessageOf({ webhookId, state: 'unverified', code, asked: 1 }, sentMs),
  },
  'webhook.test': {
    summary: 'Webhook test',
    description: 'A test that you requested with `testWebhook`: respond, and do nothing else.',
    example: { ...testMessageOf({ webhookId }, 'webhook.test', sentMs), id: 'msg_7Qm0aLkVd3S9xYtRb2WcZQ' },
  },
};

const rows = Object.entries(webhookMessages) as [WebhookMessageType, Message][];

const schemaNameOf = (type: WebhookMessageType) => `${typeNameOf(type)}Message`;

/** Returns the schema of the body of each webhook message, by name. */
export const webhookMessageSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    rows.map(([type, { data = {}, example }]) => {
      const body: Schema = () =>
        z.looseObject({
          type: z.literal(type),
          timestamp: timestamp(),
          data: z.looseObject({ webhookId: id(), ...data }),
        });
      return [
        schemaNameOf(type),
        { ...describe(toJsonSchema(body, 'answered'), descriptionsWith(data)), examples: [JSON.parse(example.body)] },
      ];
    }),
  );

const descriptionsWith = (data: object) => ({
  type: 'The type of the message. More types may be added: respond with 204 and ignore types that you do not know.',
  timestamp: 'The time of this attempt, UTC.',
  data: {
    description: 'The data contains no personal data.',
    properties: {
      webhookId: 'The id of the webhook.',
      ...('code' in data && { code: 'The code to send back.' }),
    },
  },
});

const headerDocs: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>> = {
  'webhook-id': {
    description:
      'The id of the message. A retry has the same id, unless a further event or a new code came since the last attempt.',
    schema: { type: 'string', pattern: '^msg_[A-Za-z0-9]+$', maxLength: 64 },
  },
  'webhook-timestamp': {
    description:
      'The time of this attempt, in seconds since 1970. Refuse messages whose time differs by more than five minutes from the current time.',
    schema: { type: 'string', pattern: '^[0-9]+$', maxLength: 16 },
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64; its key is the part of the secret after `whsec_`, decoded from base64. Several signatures are separated by spaces; one valid signature is enough.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$', maxLength: 256 },
  },
};

/** Returns the requests that the service sends, by the `type` in their bodies. */
export const webhooks = () =>
  Object.fromEntries(
    rows.map(([type, { summary, description, example }]) => [
      type,
      {
        post: {
          tags: [tagOf(endpoints.createWebhook).name],
          summary,
          description: `${description} The message is signed according to Standard Webhooks: check the signature before you process the message.`,
          security: [],
          parameters: Object.entries(signatureHeaders(example, [exampleSecret])).map(([name, value]) => ({
            name,
            in: 'header',
            required: true,
            ...headerDocs[name],
            example: value,
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${schemaNameOf(type)}` },
                example: JSON.parse(example.body),
              },
            },
          },
          responses: answers,
        },
      },
    ]),
  );

const answers = {
  '2XX': { description: 'The message has arrived. Respond within 10 seconds; the service does not read the body.' },
  410: { description: 'Disables the webhook at once.' },
  default: {
    description:
      'The service sends the message again, for up to 72 hours. It respects a `Retry-After` of up to an hour.',
  },
};
