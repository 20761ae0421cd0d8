import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { encodeCursor } from '../../lambdas/domain/encoding.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../lambdas/domain/rate-limits.ts';
import { type CallOptions, call, type EquippedCompany, equipCompany, goodCall } from '../support/call.ts';
import { campaign, playRounds, size } from '../support/campaign.ts';
import { anyText } from '../support/random.ts';
import { openWorld, startMs, theWorld } from '../support/world.ts';

/** Batches in a round, their requests, which are under way at the same time, and the time from one batch to the next. */
const batches = size({ test: 5, prove: 10 });
const batchSize = 25;
const pauseMs = 5000;

const maxLogLineBytes = 1024;

/** Most are in order; one’s contract has ended, and the owner of one has not accepted the latest consent. */
const companyStates: Parameters<typeof equipCompany>[1][] = [
  {},
  {},
  {},
  {},
  { state: 'ended' },
  { acceptedConsentVersion: 2 },
];

let companies: EquippedCompany[];
beforeAll(async () => {
  const { store } = await openWorld();
  companies = await Promise.all(companyStates.map((state) => equipCompany(store, state)));
});

test(
  `${batches * batchSize} generated requests a round: every answer keeps its contract, none is a 5xx, none reaches what it may not`,
  campaign,
  async (context) => {
    const outcomes: Record<string, number> = {};
    const { lines } = theWorld();
    let nowMs = startMs;

    const answerOf = async ({ operationId, companyIndex, spoilers }: Generated) => {
      const company = companies[companyIndex] as EquippedCompany;
      const good: CallOptions = { ...goodCall(operationId, company), nowMs };
      const request = spoilers.reduce((options, injectFault) => injectFault(options, company, operationId), good);
      const { status, body } = await call(operationId, request);
      expect(status).toBeLessThan(500);
      if (status < 300) expectEntitled(operationId, company, request);
      const outcome = status < 300 ? String(status) : body.code;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };

    const batch = fc.array(generated, { minLength: batchSize, maxLength: batchSize });
    const property = fc.asyncProperty(batch, async (requests) => {
      nowMs += pauseMs;
      await Promise.all(requests.map(answerOf));
    });
    const rounds = await playRounds(context, { test: 1, seconds: 45, full: 400 }, (seed) =>
      fc.assert(property, { seed, numRuns: batches }),
    );

    const requests = rounds * batches * batchSize;
    await context.annotate(`${requests} requests: ${JSON.stringify(outcomes)}`);
    const expected = [...usualOutcomes, ...(requests < enoughRequests ? [] : rareOutcomes)];
    if (rounds > 1) expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(expected));
    expect(outcomes['rate-limit-exceeded'] ?? 0).toBeLessThan(requests / 5);
    expect(Object.keys(Object.prototype)).toEqual([]);

    expect(lines.length).toBe(requests);
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(maxLogLineBytes);
    for (const { keys } of companies)
      for (const { apiKey } of keys) expect(lines.filter((line) => line.includes(apiKey))).toEqual([]);
  },
);

/** What has to occur, lest the requests be all alike; one round alone may miss some. */
const usualOutcomes = [
  ...['200', '201', '202', 'invalid-request', 'user-id-mismatch', 'api-key-missing', 'api-key-invalid'],
  ...['source-address-not-allowed', 'gateway-not-in-contract', 'api-key-not-found'],
  ...['contract-not-active', 'consent-outdated'],
];

/** Occurs once in a hundred requests or less; so many miss none of it. */
const enoughRequests = 10_000;
const rareOutcomes = [
  ...['204', 'user-id-missing', 'api-key-in-use', 'circuit-not-found', 'time-program-not-found', 'precondition-failed'],
  ...['api-key-limit-reached', 'unsupported-media-type', 'body-too-large', 'rate-limit-exceeded'],
];

/**
 * A success is for one who shows exactly the company's key, from its address; where it acts for an owner, exactly the
 * owner of a contract that is in order, and for a gateway of that contract.
 */
const expectEntitled = (operationId: OperationId, company: EquippedCompany, request: CallOptions) => {
  // As the event is made: a header in this very spelling takes the place of the one that stands for the key.
  const headers = { ...(request.apiKey !== undefined && { 'x-api-key': [request.apiKey] }), ...request.headers };
  const sent = valuesOf({ headers }, 'x-api-key');
  expect(sent).toEqual([company.key.apiKey]);
  expect(request.sourceIp ?? '127.0.0.1').toBe('127.0.0.1');
  const endpoint: Endpoint = endpoints[operationId];
  if (!endpoint.onBehalfOfUser) return;
  expect(company.contract).toMatchObject({ state: 'active', acceptedConsentVersion: 3 });
  expect(valuesOf(request, 'x-user-id')).toEqual([company.contract.userId]);
  if (operationId !== 'listGateways') expect(request.pathParameters?.gatewayId).toBe(company.gatewayId);
};

const valuesOf = ({ headers = {} }: CallOptions, name: string) =>
  Object.entries(headers).flatMap(([spelling, values]) => (spelling.toLowerCase() === name ? values : []));

/** A good call of an operation by a company, and what is then done to it. */
type Generated = { operationId: OperationId; companyIndex: number; spoilers: Spoiler[] };
type Spoiler = (request: CallOptions, company: EquippedCompany, operationId: OperationId) => CallOptions;

/** Sends this as that part of the request. */
const sending =
  (part: 'body' | 'query') =>
  (value: unknown): Spoiler =>
  (request) => ({ ...request, [part]: value });

/** Text that has broken something somewhere: in names, in numbers, in encodings, in length. */
const hostileText = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '__proto__', 'constructor', 'toString', '.', '..', '../..', '%2e%2e', '%00', '\u0000', 'a\u0000b'],
    ...['\ud800', '\udfff\ud800', 'e\u0301', '\u00e9', '\u202e', '\ufeff', 'null', 'undefined', 'NaN', '-0', '1e400'],
    ...['CONTRACT', 'GATEWAY#', '#', '|', '{gatewayId}', '$ne', "' OR 1=1 --", '<script>', '{{7*7}}'],
    ...['\r\nSet-Cookie: a=b', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(3000), '\u{1f525}'.repeat(600)],
  ),
  anyText(),
  fc.string(),
);

const hostileJson = fc.oneof(
  fc.jsonValue({ noUnicodeString: false }),
  fc.constantFrom<unknown>(null, true, 0, -0, 1e308, -1e308, 5e-324, 2 ** 53, [], {}, [[]], [null]),
  hostileText,
);

const knownId = fc.constantFrom('c1', 'c2', '1', '2', 'me', 'unknown', '__proto__', 'constructor', 'x'.repeat(64));

/** A spelling of a header's name: its letters in any case. */
const spellingOf = (name: string) => fc.mixedCase(fc.constant(name));

const headerName = fc.oneof(
  ...['x-api-key', 'x-user-id', 'content-type', 'if-match'].map(spellingOf),
  fc.constantFrom('__proto__', 'constructor', '', 'Cookie', 'x-http-method-override', 'x-forwarded-for'),
  hostileText,
);

const headerValue = fc.oneof(
  fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'APPLICATION/JSON;charset=x'),
  fc.constantFrom('"1"', '"2"', '"1", "2", "3"', '*', 'W/"1"', '"', ',', ',,,', '"99999999999999999999"'),
  hostileText,
);

/** Replaces, doubles or removes; its values may be those of this company or of another. */
const headerSpoiler: fc.Arbitrary<Spoiler> = fc
  .record({ name: headerName, values: fc.array(headerValue, { maxLength: 3 }) })
  .map(({ name, values }) => (request) => ({ ...request, headers: { ...request.headers, [name]: values } }));

const ifMatchSpoiler: fc.Arbitrary<Spoiler> = fc
  .constantFrom('"1"', '"2"', '"3"', '*', 'W/"1"', '"0"')
  .map((tag) => (request) => ({ ...request, headers: { ...request.headers, 'If-Match': [tag] } }));

const identitySpoiler: fc.Arbitrary<Spoiler> = fc.constantFrom<Spoiler>(
  ({ apiKey, ...request }) => request,
  (request) => ({ ...request, apiKey: request.apiKey?.slice(0, -1) ?? '' }),
  (request) => ({ ...request, apiKey: request.apiKey?.toLowerCase() ?? '' }),
  ({ apiKey = '', ...request }) => ({ ...request, headers: { ...request.headers, 'X-Api-KEY': [apiKey] } }),
  (request) => ({ ...request, headers: { ...request.headers, 'X-Api-Key': [request.apiKey ?? ''] } }),
  (request) => ({ ...request, headers: { ...request.headers, 'x-user-id': [] } }),
  (request, { contract }) => ({ ...request, headers: { ...request.headers, 'X-User-Id': [contract.userId] } }),
  (request) => ({ ...request, headers: { ...request.headers, 'x-user-id': [otherOf(request).contract.userId] } }),
  (request) => ({ ...request, sourceIp: '192.0.2.1' }),
  (request) => ({ ...request, sourceIp: '::1' }),
);

const pathSpoiler = (names: readonly string[]): fc.Arbitrary<Spoiler> =>
  fc.oneof(
    fc.record({ name: fc.constantFrom(...names), id: fc.oneof({ weight: 2, arbitrary: knownId }, hostileText) }).map(
      ({ name, id }): Spoiler =>
        (request) =>
          withPathId(request, name, id),
    ),
    fc.constantFrom<Spoiler>((request) => ({ ...request, pathParameters: {} })),
    ...(names.includes('gatewayId') ? [fc.constant(withForeignGateway)] : []),
    ...(names.includes('keyId') ? [fc.constantFrom(withOwnKeyId, withForeignKeyId)] : []),
  );

const withForeignGateway: Spoiler = (request) => withPathId(request, 'gatewayId', otherOf(request).gatewayId);
const withOwnKeyId: Spoiler = (request, { key }) => withPathId(request, 'keyId', key.keyId);
const withForeignKeyId: Spoiler = (request) => withPathId(request, 'keyId', otherOf(request).key.keyId);

const querySpoiler: fc.Arbitrary<Spoiler> = fc.oneof(
  fc
    .dictionary(
      fc.oneof(fc.constantFrom('limit', 'cursor', '__proto__', 'Limit'), hostileText),
      fc.array(fc.oneof(fc.constantFrom('1', '100', '101', '0', '-1', '1e1', '0x10', ' 5 ', '1.5'), hostileText), {
        minLength: 1,
        maxLength: 2,
      }),
    )
    .map(sending('query')),
  // A cursor whose checksum is right, as one can make it who has read how.
  fc.oneof(knownId, hostileText).map(
    (position): Spoiler =>
      (request, { companyId }, operationId) => {
        const counter = rateLimitKeyOf(
          companyId,
          operationId,
          endpoints[operationId].path,
          request.pathParameters ?? {},
        );
        return { ...request, query: { cursor: [encodeCursor(bucketIdOf(counter), position)] } };
      },
  ),
);

/** The good body with one property, at whatever depth, of another value. */
const propertySpoiler: fc.Arbitrary<Spoiler> = fc
  .record({
    name: fc.oneof(
      fc.constantFrom('operationMode', 'roomSetpointCelsius', 'waterSetpointCelsius', 'activeTimeProgramId'),
      fc.constantFrom('name', 'switchPoints', '__proto__', 'constructor', 'toJSON'),
      hostileText,
    ),
    value: fc.oneof(hostileJson, fc.constantFrom<unknown>(21, 50, 5, 30.5, '1', '2', 'auto', 'eco')),
  })
  .map(({ name, value }) => (request) => ({ ...request, body: { ...(request.body as object), [name]: value } }));

const switchPoints = fc.array(
  fc.record(
    {
      dayOfWeek: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('monday', 'sunday') }, hostileJson),
      time: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('00:00', '06:00', '06:05', '23:50', '24:00') },
        hostileJson,
      ),
      setpoint: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('eco', 'comfort', 'off') }, hostileJson),
    },
    { requiredKeys: ['dayOfWeek', 'time'] },
  ),
  { maxLength: 12 },
);

const bodySpoiler: fc.Arbitrary<Spoiler> = fc.oneof(
  hostileJson.map(sending('body')),
  fc.record({ name: fc.oneof(fc.constant('Weekdays'), hostileText), switchPoints }).map(sending('body')),
  fc
    .constantFrom(
      ...['', '{', '[', 'null', '"', '{}', '[]', '{"operationMode":"off"', '\ufeff{}', '\u0000', '{"a":\ud800}'],
      ...[
        '{"operationMode":"off","operationMode":"auto"}',
        '{"roomSetpointCelsius":1e999}',
        '{"roomSetpointCelsius":-0}',
      ],
      ...['{"__proto__":{"polluted":true}}', '{"operationMode":"off","__proto__":{"polluted":true}}'],
      ...['{"constructor":{"prototype":{"polluted":true}}}', '{"name":"\\ud800","switchPoints":[]}'],
    )
    .map(sending('body')),
  fc
    .constantFrom(
      ...['['.repeat(16_000), `${'['.repeat(16_000)}${']'.repeat(16_000)}`, '{"a":'.repeat(6000), '9'.repeat(30_000)],
      ...[
        `{"name":"x","switchPoints":[${'{},'.repeat(5000)}{}]}`,
        `"${'x'.repeat(32_766)}"`,
        `"${'x'.repeat(32_767)}"`,
      ],
      ...[' '.repeat(32_769), '\u{1f525}'.repeat(10_000)],
    )
    .map(sending('body')),
);

const base64Spoiler: fc.Arbitrary<Spoiler> = fc.oneof(
  fc.constant<Spoiler>((request) => {
    const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body ?? null);
    return { ...request, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  }),
  fc
    .oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
      hostileText,
    )
    .map(
      (body): Spoiler =>
        (request) => ({ ...request, body, isBase64Encoded: true }),
    ),
);

/** What can be done to a call of this operation that it may notice; mostly what gets as far as its own work. */
const spoilersOf = (endpoint: Endpoint): fc.WeightedArbitrary<Spoiler>[] => {
  const names = pathParametersOf(endpoint.path);
  const weighted = (weight: number, arbitraries: fc.Arbitrary<Spoiler>[]) =>
    arbitraries.map((arbitrary) => ({ weight, arbitrary }));
  return [
    ...weighted(1, [headerSpoiler, identitySpoiler]),
    ...weighted(4, names.length > 0 ? [pathSpoiler(names)] : []),
    ...weighted(4, endpoint.query ? [querySpoiler] : []),
    ...weighted(2, endpoint.body ? [ifMatchSpoiler, propertySpoiler, bodySpoiler, base64Spoiler] : []),
  ];
};

const generated: fc.Arbitrary<Generated> = fc.constantFrom(...operationIds).chain((operationId) =>
  fc.record({
    operationId: fc.constant(operationId),
    companyIndex: fc.nat({ max: companyStates.length - 1 }),
    spoilers: fc.array(fc.oneof(...spoilersOf(endpoints[operationId])), { maxLength: 3 }),
  }),
);

const withPathId = (request: CallOptions, name: string, id: string): CallOptions => ({
  ...request,
  pathParameters: { ...request.pathParameters, [name]: id },
});

/** A company that is not the one that asks. */
const otherOf = ({ apiKey }: CallOptions): EquippedCompany =>
  companies.find(({ key }) => key.apiKey !== apiKey) as EquippedCompany;
