import { describe, expect, test } from 'vitest';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { apiKey, json, scriptedClient } from './scripted.ts';

const ok = json(200, { items: [], nextCursor: null });
const path = { gatewayId: 'gw-1001', circuitId: 'hc1' };

test('a read: method, path with its ids, and who asks for whom', async () => {
  const { client, sent } = scriptedClient([ok]);
  await client.call('getHeatingCircuit', { path });
  expect(sent[0]).toMatchObject({
    url: 'https://api.example.com/v1/hvacs/gw-1001/heatingCircuits/hc1',
    init: { method: 'GET', body: null, redirect: 'manual' },
  });
  expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({ 'x-api-key': apiKey, 'x-user-id': 'owner-4711' });
});

test('a change: JSON, and the version that it is made from', async () => {
  const { client, sent } = scriptedClient([ok]);
  await client.call('updateHeatingCircuit', { path, body: { operationMode: 'off' }, headers: { 'If-Match': '"7"' } });
  expect(sent[0]?.init).toMatchObject({ method: 'PATCH', body: '{"operationMode":"off"}' });
  expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
    'if-match': '"7"',
    'content-type': 'application/json',
  });
});

test('a list: the query as given, and nothing of what is not', async () => {
  const { client, sent } = scriptedClient([ok]);
  await client.call('listGateways', { query: { limit: 2, cursor: 'a+b/c=' } });
  await client.call('listGateways', { query: {} });
  const urls = sent.map(({ url }) => new URL(url));
  expect(urls.map(({ search }) => search)).toEqual(['?limit=2&cursor=a%2Bb%2Fc%3D', '']);
});

test('the owner is named only where an operation acts for one', async () => {
  const { client, sent } = scriptedClient([ok]);
  await client.call('getContract');
  expect(sent[0]?.headers.has('x-user-id')).toBe(false);
});

test('a base URL may end with a slash', async () => {
  const { client, sent } = scriptedClient([ok], { baseUrl: 'https://api.example.com/v1/' });
  await client.call('getContract');
  expect(sent[0]?.url).toBe('https://api.example.com/v1/contract');
});

describe('the key', () => {
  test('can be another for one call, and for all from now on', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('getContract', { apiKey: 'for-one' });
    await client.call('getContract');
    client.useApiKey('from-now-on');
    await client.call('getContract');
    const keys = sent.map(({ headers }) => headers.get('x-api-key'));
    expect(keys).toEqual(['for-one', apiKey, 'from-now-on']);
  });

  test('of a call under way stays: what is sent again is the same request', async () => {
    const { client, sent } = scriptedClient(
      [new Response(null, { status: 429, headers: { 'retry-after': '1' } }), ok],
      { wait: async () => client.useApiKey('from-now-on') },
    );
    await client.call('getContract');
    expect(sent.map(({ headers }) => headers.get('x-api-key'))).toEqual([apiKey, apiKey]);
  });

  test.each(['', `${apiKey}\n`, `${apiKey}\nx`, 'Schlüssel', 'two words'])(
    '%j is refused, and not quoted',
    async (wrong) => {
      const { client, sent } = scriptedClient([ok]);
      const attempts = [
        () => createPartnerClient({ baseUrl: 'https://api.example.com/v1', apiKey: wrong }),
        () => client.useApiKey(wrong),
        () => client.call('getContract', { apiKey: wrong }),
      ];
      for (const attempt of attempts) {
        const error = await Promise.resolve()
          .then(attempt)
          .catch((thrown: Error) => thrown);
        expect(String(error)).toMatch(/^TypeError: The apiKey is empty or has characters that no key has/);
      }
      expect(sent).toEqual([]);
    },
  );
});

describe('what would send a key where it does not belong is refused', () => {
  test.each(['http://api.example.com/v1', 'api.example.com', ''])('the base URL %j', (baseUrl) => {
    expect(() => createPartnerClient({ baseUrl, apiKey })).toThrow(
      `The baseUrl is '${baseUrl}' and has to begin with https://`,
    );
  });

  test.each(['', '.', '..'])('the id %j, which leads to another path', async (gatewayId) => {
    const { client, sent } = scriptedClient([ok]);
    await expect(client.call('getGateway', { path: { gatewayId } })).rejects.toThrow(
      `The path needs a gatewayId, and '${gatewayId}' is none.`,
    );
    expect(sent).toEqual([]);
  });

  test('an id with slashes stays one segment', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('getGateway', { path: { gatewayId: '../contract?x#y' } });
    expect(sent[0]?.url).toBe('https://api.example.com/v1/hvacs/..%2Fcontract%3Fx%23y');
  });
});

describe('where no compiler says it', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it.
  const untyped = ({ client }: ReturnType<typeof scriptedClient>): any => client;

  test('an operation that there is not is refused', async () => {
    await expect(untyped(scriptedClient([ok])).call('getGatway')).rejects.toThrow('There is no operation getGatway');
    await expect(untyped(scriptedClient([ok])).call('toString')).rejects.toThrow('There is no operation toString');
  });

  test('an id that is missing is', async () => {
    await expect(untyped(scriptedClient([ok])).call('getGateway')).rejects.toThrow('The path needs a gatewayId');
  });

  test('a call for an owner by a client that knows none is, with how to name one', async () => {
    const withoutOwner = createPartnerClient({ baseUrl: 'https://api.example.com/v1', apiKey, fetch: async () => ok });
    // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it.
    await expect((withoutOwner as any).call('listGateways')).rejects.toThrow('give the userId that getContract shows');
  });
});
