import { describe, expect, test } from 'vitest';
import { type PokeType, pokeOf, testPokeOf } from '../../../lambdas/domain/webhooks/poke.ts';
import { signatureHeaders } from '../../../lambdas/domain/webhooks/signature.ts';
import { apiDocument, type JsonSchema, validatorOf } from '../../support/api-document.ts';
import { startMs } from '../../support/world.ts';

const secrets = ['whsec_AAAA', 'whsec_BBBB'];
const webhook = { webhookId: 'wh_6mQ2cX0yVb9TzL4pRk7WsE', code: '2nYxQe7TzL4pRk7WsE6mQ2', asked: 3 };
const sent = {
  'events.available': pokeOf({ ...webhook, state: 'enabled' }, startMs),
  'webhook.verify': pokeOf({ ...webhook, state: 'unverified' }, startMs),
  'webhook.test': testPokeOf(webhook, startMs),
} satisfies Record<PokeType, unknown>;

type Parameter = { readonly name: string; readonly schema: JsonSchema; readonly example: string };

test('the document has each kind of pokes, and no other', () => {
  expect(Object.keys(apiDocument.webhooks)).toEqual(Object.keys(sent));
});

describe.each(Object.entries(sent))('the poke %s', (type, content) => {
  const { parameters, requestBody, responses } = apiDocument.webhooks[type].post;
  const { schema, example } = requestBody.content['application/json'];

  test('has the headers and the body that are sent', () => {
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

  test('says what is expected of the answer', () => {
    expect(Object.keys(responses)).toEqual(['410', '2XX', 'default']);
  });
});
