import { describe, expect, test, vi } from 'vitest';
import { operations } from '../../../partner/client/generated/operations.ts';
import { pagesOf, readHome } from '../../../partner/client/pages.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { apiKey, json, lostConnection, problem, scriptedClient } from './scripted.ts';

describe('requests', () => {
  const ok = json(200, { items: [], nextCursor: null });
  const path = { gatewayId: 'gw-1001', circuitId: 'hc1' };

  test('a read has method, path with ids, API key and owner', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('getHeatingCircuit', { path });
    expect(sent[0]).toMatchObject({
      url: 'https://api.example.com/v1/hvacs/gw-1001/heatingCircuits/hc1',
      init: { method: 'GET', body: null, redirect: 'manual' },
    });
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({ 'x-api-key': apiKey, 'x-user-id': 'owner-4711' });
  });

  test('a change has a JSON body and the version on which it is based', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('updateHeatingCircuit', { path, body: { operationMode: 'off' }, headers: { 'If-Match': '"7"' } });
    expect(sent[0]?.init).toMatchObject({ method: 'PATCH', body: '{"operationMode":"off"}' });
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      'if-match': '"7"',
      'content-type': 'application/json',
    });
  });

  test('a list has the given query parameters and no others', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('listGateways', { query: { limit: 2, cursor: 'a+b/c=' } });
    await client.call('listGateways', { query: {} });
    const urls = sent.map(({ url }) => new URL(url));
    expect(urls.map(({ search }) => search)).toEqual(['?limit=2&cursor=a%2Bb%2Fc%3D', '']);
  });

  test('the owner is sent only to operations that accept one', async () => {
    const { client, sent } = scriptedClient([ok]);
    await client.call('listApiKeys');
    await client.call('getContract');
    expect(sent.map(({ headers }) => headers.get('x-user-id'))).toEqual([null, 'owner-4711']);
  });

  test('a client for another owner shares everything else, including a key set later', async () => {
    const { client, sent } = scriptedClient([ok]);
    const other = client.forOwner('owner-4712');
    client.useApiKey('from-now-on');
    await other.call('listGateways');
    await client.call('listGateways');
    await other.forOwner('owner-4713').call('getContract');
    expect(sent.map(({ headers }) => [headers.get('x-user-id'), headers.get('x-api-key')])).toEqual(
      ['owner-4712', 'owner-4711', 'owner-4713'].map((userId) => [userId, 'from-now-on']),
    );
  });

  test('a base URL may end with a slash', async () => {
    const { client, sent } = scriptedClient([ok], { baseUrl: 'https://api.example.com/v1/' });
    await client.call('getContract');
    expect(sent[0]?.url).toBe('https://api.example.com/v1/contract');
  });

  describe('the key', () => {
    test('can be replaced for one call, or for all later calls', async () => {
      const { client, sent } = scriptedClient([ok]);
      await client.call('getContract', { apiKey: 'for-one' });
      await client.call('getContract');
      client.useApiKey('from-now-on');
      await client.call('getContract');
      const keys = sent.map(({ headers }) => headers.get('x-api-key'));
      expect(keys).toEqual(['for-one', apiKey, 'from-now-on']);
    });

    test('of a running call does not change: a retry sends the same request', async () => {
      const { client, sent } = scriptedClient(
        [new Response(null, { status: 429, headers: { 'retry-after': '1' } }), ok],
        { wait: async () => client.useApiKey('from-now-on') },
      );
      await client.call('getContract');
      expect(sent.map(({ headers }) => headers.get('x-api-key'))).toEqual([apiKey, apiKey]);
    });

    test.each(['', `${apiKey}\n`, `${apiKey}\nx`, 'Schlüssel', 'two words'])(
      '%j is rejected and not quoted',
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
          expect(String(error)).toMatch(/^TypeError: The apiKey is empty or contains invalid characters/);
        }
        expect(sent).toEqual([]);
      },
    );
  });

  describe('arguments that would send a key elsewhere are rejected:', () => {
    test.each(['http://api.example.com/v1', 'api.example.com', ''])('the base URL %j', (baseUrl) => {
      expect(() => createPartnerClient({ baseUrl, apiKey })).toThrow(
        `The baseUrl is '${baseUrl}' and must begin with https://`,
      );
    });

    test.each([
      ['https://api.example.com', 1],
      ['https://api.example.com/', 1],
      ['https://api.example.com/v1/contract', 1],
      ['https://api.example.com/v1', 0],
      ['https://gateway.acme.example/heating/v1/', 0],
    ])('the base URL %s has %i warnings, since another path may lead to the API, too', (baseUrl, warnings) => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      createPartnerClient({ baseUrl, apiKey });
      expect(warn).toHaveBeenCalledTimes(warnings);
      if (warnings > 0) expect(warn.mock.lastCall).toEqual([expect.stringContaining('does not end with /v1')]);
      warn.mockRestore();
    });

    test.each(['', '.', '..'])('the id %j, which leads to another path', async (gatewayId) => {
      const { client, sent } = scriptedClient([ok]);
      await expect(client.call('getGateway', { path: { gatewayId } })).rejects.toThrow(
        `'${gatewayId}' is not a valid gatewayId for the path.`,
      );
      expect(sent).toEqual([]);
    });

    test('an id with slashes stays one segment', async () => {
      const { client, sent } = scriptedClient([ok]);
      await client.call('getGateway', { path: { gatewayId: '../contract?x#y' } });
      expect(sent[0]?.url).toBe('https://api.example.com/v1/hvacs/..%2Fcontract%3Fx%23y');
    });
  });

  describe('without type checks,', () => {
    // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it.
    const untyped = ({ client }: ReturnType<typeof scriptedClient>): any => client;

    test('an unknown operation is rejected', async () => {
      await expect(untyped(scriptedClient([ok])).call('getGatway')).rejects.toThrow('Unknown operation getGatway');
      await expect(untyped(scriptedClient([ok])).call('toString')).rejects.toThrow('Unknown operation toString');
    });

    test('a missing id is rejected', async () => {
      await expect(untyped(scriptedClient([ok])).call('getGateway')).rejects.toThrow("'' is not a valid gatewayId");
    });

    test('a call that needs an owner is rejected if the client has none, with how to set one', async () => {
      const withoutOwner = createPartnerClient({
        baseUrl: 'https://api.example.com/v1',
        apiKey,
        fetch: async () => ok,
      });
      // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it.
      await expect((withoutOwner as any).call('listGateways')).rejects.toThrow('pass a userId from listContracts');
    });
  });
});

describe('answers', () => {
  const said = {
    'x-request-id': 'r-1',
    'x-api-key-expires-at': '2036-09-15T12:00:00Z',
    ratelimit: '"gateway";r=2;t=1',
  };
  const path = { gatewayId: 'gw', circuitId: 'hc1' };
  const read = (answer: Response | Error) => scriptedClient([answer]).client.call('getHeatingCircuit', { path });

  test('a success has its body, its headers and the common members', async () => {
    expect(await read(json(200, { circuitId: 'hc1' }, { ...said, ETag: '"7"' }))).toMatchObject({
      ok: true,
      status: 200,
      body: { circuitId: 'hc1' },
      headers: { etag: '"7"' },
      requestId: 'r-1',
      apiKeyExpiresAt: '2036-09-15T12:00:00Z',
      rateLimit: { policy: 'gateway', remaining: 2, nextInSeconds: 1 },
    });
  });

  test.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'APPLICATION/JSON',
    'application/json ;charset=utf-8',
    ' application/json\t; charset="utf-8"',
  ])('a media type is compared without case and spaces: %j', async (type) => {
    const { client } = scriptedClient([json(202, { state: 'pending' }, { 'content-type': type })]);
    const answer = await client.call('updateHeatingCircuit', { path, body: { operationMode: 'off' } });
    expect(answer).toMatchObject({ ok: true, body: { state: 'pending' } });
  });

  test.each(['Application/Problem+JSON', 'application/problem+json ; charset=utf-8'])(
    'the media type %j is that of a problem',
    async (type) => {
      expect(await read(problem(404, 'circuit-not-found', { 'content-type': type }))).toMatchObject({
        ok: false,
        problem: { code: 'circuit-not-found' },
      });
    },
  );

  test('a success without content', async () => {
    const { client } = scriptedClient([new Response(null, { status: 204, headers: said })]);
    const answer = await client.call('deleteApiKey', { path: { keyId: 'k' } });
    expect(answer).toMatchObject({ ok: true, status: 204, body: undefined, requestId: 'r-1' });
  });

  test('a problem is returned unchanged, with the common members and the time to retry', async () => {
    const answer = await read(problem(409, 'circuit-not-found', { ...said, 'retry-after': '3600' }));
    expect(answer).toMatchObject({
      ok: false,
      problem: { code: 'circuit-not-found', status: 409, title: 'A title', detail: 'A detail.' },
      retryAfterSeconds: 3600,
      requestId: 'r-1',
      apiKeyExpiresAt: '2036-09-15T12:00:00Z',
      rateLimit: { policy: 'gateway' },
    });
  });

  test('members that an answer lacks are undefined', async () => {
    const nothing = { requestId: undefined, apiKeyExpiresAt: undefined, rateLimit: undefined };
    expect(await read(json(200, {}))).toMatchObject(nothing);
    expect(await read(problem(404, 'circuit-not-found'))).toMatchObject({ ...nothing, retryAfterSeconds: undefined });
    expect(await read(json(200, {}, { ratelimit: 'limit=3' }))).toMatchObject(nothing);
  });

  describe('an answer that the API document does not have', () => {
    const html = { 'content-type': 'text/html; charset=utf-8' };
    const aProblem = { 'content-type': 'application/problem+json' };
    test.each([
      [
        'a page of a proxy',
        new Response('<h1>Bad gateway</h1>', { status: 502, headers: html }),
        '<h1>Bad gateway</h1>',
      ],
      ['a login page', new Response('<h1>Log in</h1>', { status: 200, headers: html }), '<h1>Log in</h1>'],
      ['truncated JSON', new Response('{"circ', { headers: { 'content-type': 'application/json' } }), '{"circ'],
      ['a truncated problem', new Response('{"code":', { status: 404, headers: aProblem }), '{"code":'],
      ['a problem that is null', new Response('null', { status: 404, headers: aProblem }), null],
      ['no content', new Response(null, { status: 204 }), ''],
      ['another success', json(202, { circuitId: 'hc1' }), { circuitId: 'hc1' }],
      ['a redirect', new Response(null, { status: 302, headers: { location: 'https://example.org' } }), ''],
      ['a refusal in other words', json(403, { message: 'Forbidden' }), { message: 'Forbidden' }],
    ])('%s', async (_, answer, body) => {
      expect(await read(answer)).toMatchObject({
        ok: false,
        problem: {
          code: 'unknown-answer',
          status: answer.status,
          body,
          title: expect.stringContaining(`${answer.status}`),
        },
      });
    });

    test.each([
      ['JSON of another service', json(403, { message: 'Forbidden' }), 'status 403 with application/json'],
      ['a page', new Response('<h1>Hi</h1>', { status: 200, headers: html }), 'status 200 with text/html'],
      ['no content', new Response(null, { status: 302 }), 'status 302 with no content'],
    ])('%s says its status, and to check the base URL', async (_, answer, got) => {
      expect(await read(answer)).toMatchObject({
        problem: {
          detail: expect.stringMatching(new RegExp(`received ${got}. Check that the baseUrl is the URL of the API`)),
        },
      });
    });

    test.each(['a-new-problem', 'api-key-in-use'])(
      'an undocumented problem %s keeps its title and detail',
      async (code) => {
        expect(await read(problem(409, code, said))).toMatchObject({
          ok: false,
          problem: { code: 'unknown-answer', status: 409, title: 'A title', detail: 'A detail.', body: { code } },
          requestId: 'r-1',
        });
      },
    );
  });

  test('a failed connection is an answer, which says if the outcome of the request is unknown', async () => {
    const lost = lostConnection();
    expect(await read(lost)).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', cause: lost, status: undefined },
    });
    const { client } = scriptedClient([lost]);
    const answer = await client.call('deleteApiKey', { path: { keyId: 'k' } });
    expect(answer).toMatchObject({
      problem: { detail: expect.stringContaining('The operation may or may not have been carried out') },
    });
  });

  test('a connection that fails during the answer is a failed connection', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    const { client } = scriptedClient([
      () => new Response(broken, { headers: { 'content-type': 'application/json' } }),
    ]);
    expect(await client.call('getContract')).toMatchObject({ ok: false, problem: { code: 'no-answer' } });
  });

  test('no problem of the API has a code that the client itself uses', () => {
    const codes: string[] = Object.values(operations).flatMap(({ problemCodes }) => problemCodes);
    expect(codes).toContain('consent-outdated');
    for (const own of ['unknown-answer', 'no-answer']) expect(codes).not.toContain(own);
  });
});

describe('pages', () => {
  const page = (item: string, nextCursor: string | null) => json(200, { items: [{ gatewayId: item }], nextCursor });
  const [first, second, last] = [page('a', 'c1'), page('b', 'c2'), page('c', null)];

  test('of a list are read in turn, each with the cursor of the previous one, until the last', async () => {
    const { client, sent } = scriptedClient([first, second, last, problem(500, 'internal-error')]);
    const ids = [];
    for await (const answer of pagesOf(client, 'listGateways', { query: { limit: 1 } }))
      ids.push(...(answer.ok ? answer.body.items : []).map(({ gatewayId }) => gatewayId));
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=1',
      '?limit=1&cursor=c1',
      '?limit=1&cursor=c2',
    ]);
  });

  test('end with the first refusal, which is returned', async () => {
    const { client, sent } = scriptedClient([first, problem(401, 'api-key-expired'), last]);
    const answers = [];
    for await (const answer of pagesOf(client, 'listHeatingCircuits', { path: { gatewayId: 'gw' } }))
      answers.push(answer);
    expect(answers).toMatchObject([{ ok: true }, { ok: false, problem: { code: 'api-key-expired' } }]);
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(Array(2).fill('/v1/hvacs/gw/heatingCircuits'));
  });

  const circuit = (circuitId: string, version: number, timePrograms?: string[]) => ({
    circuitId,
    version,
    ...(timePrograms && { timePrograms: timePrograms.map((timeProgramId) => ({ timeProgramId })) }),
  });

  test('of a home are joined: a circuit on two pages is that of the later, with the time programs of both', async () => {
    const { client, sent } = scriptedClient([
      json(200, { heatingCircuits: [circuit('a', 1, ['1'])], dhwCircuits: [circuit('a', 1, ['1'])], nextCursor: 'c1' }),
      json(200, { heatingCircuits: [circuit('a', 2, ['2']), circuit('b', 1, [])], dhwCircuits: [], nextCursor: null }),
    ]);
    expect(await readHome(client, 'gw-1')).toMatchObject({
      ok: true,
      body: {
        heatingCircuits: [circuit('a', 2, ['1', '2']), circuit('b', 1, [])],
        dhwCircuits: [circuit('a', 1, ['1'])],
        nextCursor: null,
      },
    });
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?include=circuits%2CtimePrograms',
      '?include=circuits%2CtimePrograms&cursor=c1',
    ]);
  });

  test('of a home with circuits only have no time programs; a refused page is the answer', async () => {
    const page = json(200, { heatingCircuits: [circuit('a', 1)], dhwCircuits: [], nextCursor: 'c1' });
    const { client, sent } = scriptedClient([page, problem(403, 'gateway-not-in-contract')]);
    expect(await readHome(client, 'gw-1', { include: 'circuits' })).toMatchObject({
      ok: false,
      problem: { code: 'gateway-not-in-contract' },
    });
    const alone = scriptedClient([
      json(200, { heatingCircuits: [circuit('a', 1)], dhwCircuits: [], nextCursor: null }),
    ]);
    const answer = await readHome(alone.client, 'gw-1', { include: 'circuits' });
    expect(answer.ok && answer.body.heatingCircuits).toEqual([circuit('a', 1)]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('include'))).toEqual(['circuits', 'circuits']);
  });

  test('are not requested unless the caller asks for them', async () => {
    const { client, sent } = scriptedClient([first, second]);
    for await (const _ of pagesOf(client, 'listApiKeys')) break;
    expect(sent).toHaveLength(1);
  });
});
