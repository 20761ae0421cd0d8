import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { pageOf } from '../../../lambdas/api/schemas/common.ts';
import { contract } from '../../../lambdas/api/schemas/contract.ts';
import {
  signatureHeaders,
  testMessageOf,
  type WebhookMessageType,
  webhookMessageOf,
} from '../../../lambdas/domain/webhook-message.ts';
import { parametersOf } from '../../../partner/openapi/parameters.ts';
import { documentationOf, documentedSchemas, referenceTo } from '../../../partner/openapi/schemas.ts';
import { apiDocument, type JsonSchema, validatorOf } from '../../support/api-document.ts';
import { corrupted } from '../../support/corrupted.ts';
import { seed } from '../../support/random.ts';
import { startMs } from '../../support/world.ts';

test('a body is named after its schema, and a page after its items', () => {
  expect(referenceTo(contract)).toEqual({ $ref: '#/components/schemas/Contract' });
  expect(referenceTo(pageOf(contract))).toEqual({ $ref: '#/components/schemas/ContractPage' });
});

test('a body without documentation is an error that says what to export and where', () => {
  const gadget = () => z.looseObject({});
  expect(() => documentationOf(gadget)).toThrow(
    'The body "gadget" has no documentation. Export gadgetDocs beside gadget in lambdas/api/schemas/.',
  );
});

test('a query without descriptions is an error that says what to export and where', () => {
  const gadgetQuery = () => z.object({ size: z.string() });
  expect(() => parametersOf({ ...endpoints.listApiKeys, query: gadgetQuery } as Endpoint)).toThrow(
    'The query "gadgetQuery" has no descriptions. Export gadgetQueryDescriptions beside gadgetQuery in lambdas/api/schemas/.',
  );
});

test('a path parameter has the description of the nearest body', () => {
  const examplesOf = (operationId: keyof typeof endpoints) =>
    parametersOf(endpoints[operationId]).flatMap((each) =>
      each.in === 'path' && 'example' in each ? [[each.name, each.example]] : [],
    );
  expect(examplesOf('deleteApiKey')).toEqual([['keyId', 'f3QnT7wLx0RkVb2Z']]);
  expect(examplesOf('listDhwTimePrograms')).toEqual([
    ['gatewayId', 'gw-1001'],
    ['circuitId', 'dhw1'],
  ]);
});

test('a path parameter that no body has is an error that names it', () => {
  expect(() => parametersOf({ ...endpoints.getContract, path: '/contract/{annexId}' })).toThrow(
    'The path /contract/{annexId} names {annexId}, and no body on the way to it has a property "annexId"',
  );
});

test.each([...documentedSchemas].filter(([, { isSent }]) => !isSent))(
  'the example of %s has its properties in the order of the document',
  (_, { schema, example }) => expect(JSON.stringify(example)).toBe(JSON.stringify(z.parse(schema(), example))),
);

const bodies = [...documentedSchemas].filter(([, { isSent }]) => isSent);

const mayBeAbsent = new Set(
  Object.values<Endpoint>(endpoints).flatMap(({ body, isBodyOptional }) => (body && isBodyOptional ? [body] : [])),
);

/** Whether a text has a character that lines may not have, and that no pattern of the document can name. */
const hasUnnamed = (value: unknown): boolean =>
  typeof value === 'string'
    ? /[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u.test(value)
    : Object.values(value ?? {}).some(hasUnnamed);

test('the document has request bodies', () => expect(bodies.length).toBeGreaterThan(3));

describe.each(bodies)('%s', (name, { schema, example }) => {
  const validate = validatorOf({ $ref: `#/components/schemas/${name}` });

  test('accepts and rejects in the document what the service accepts and rejects', () => {
    let allowed = 0;
    const made = schema();
    fc.assert(
      fc.property(corrupted(example), (body) => {
        const isAllowed = z.safeParse(made, body).success;
        if (isAllowed) allowed++;
        if (isAllowed || !hasUnnamed(body)) expect(validate(body)).toBe(isAllowed);
      }),
      { seed, numRuns: 2000 },
    );
    expect(allowed).toBeGreaterThan(0);
    expect(validate({})).toBe(mayBeAbsent.has(schema));
  });
});

const secrets = ['whsec_AAAA', 'whsec_BBBB'];
const webhook = { webhookId: 'wh_6mQ2cX0yVb9TzL4pRk7WsE', code: '2nYxQe7TzL4pRk7WsE6mQ2', asked: 3 };
const sent = {
  'events.available': webhookMessageOf({ ...webhook, state: 'enabled' }, startMs),
  'webhook.verify': webhookMessageOf({ ...webhook, state: 'unverified' }, startMs),
  'webhook.test': testMessageOf(webhook, 'webhook.test', startMs),
} satisfies Record<WebhookMessageType, unknown>;

type Parameter = { readonly name: string; readonly schema: JsonSchema; readonly example: string };

test('the document has exactly the webhook messages of the service', () => {
  expect(Object.keys(apiDocument.webhooks)).toEqual(Object.keys(sent));
});

describe.each(Object.entries(sent))('the message %s', (type, content) => {
  const { parameters, requestBody, responses } = apiDocument.webhooks[type].post;
  const { schema, example } = requestBody.content['application/json'];

  test('has the headers and the body that the service sends', () => {
    const headers = signatureHeaders(content, secrets);
    expect(parameters.map(({ name }: Parameter) => name)).toEqual(Object.keys(headers));
    for (const { name, schema: ofHeader, example: value } of parameters as Parameter[])
      for (const each of [headers[name], value]) expect(validatorOf(ofHeader)(each), `${name}: ${each}`).toBe(true);
    const validate = validatorOf(schema);
    for (const body of [JSON.parse(content.body), example])
      expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...example, type: 'webhook.another' })).toBe(false);
    expect(validate({ ...example, data: {} })).toBe(false);
  });

  test('documents the expected answers', () => {
    expect(Object.keys(responses)).toEqual(['410', '2XX', 'default']);
  });
});
