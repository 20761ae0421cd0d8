import fc from 'fast-check';
import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import type { NewKey } from '../../lambdas/domain/api-key.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { encodeCursor } from '../../lambdas/domain/encoding.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../lambdas/domain/rate-limits.ts';
import type { CallOptions, EquippedCompany } from '../../test/support/call.ts';
import { anyText } from '../../test/support/random.ts';
import { startMs } from '../../test/support/world.ts';

/** An owner with whom a company has a contract, and a gateway of theirs. */
type Owner = { readonly contract: Contract; readonly gatewayId: string };

/** A company with its contracts and a read-only key, and another company. */
export type FuzzedCompany = EquippedCompany & {
  readonly owners: readonly Owner[];
  readonly readKey: NewKey;
  readonly other: EquippedCompany;
};

/** A valid call of an operation by a company, and the changes that are then made to it. */
export type Generated = { operationId: OperationId; companyIndex: number; spoilers: Spoiler[] };
type Spoiler = (request: CallOptions, company: FuzzedCompany, operationId: OperationId) => CallOptions;

/** Replaces that part of the request with the value. */
const sending =
  (part: 'body' | 'query') =>
  (value: unknown): Spoiler =>
  (request) => ({ ...request, [part]: value });

/** Text that has broken programs before: by its names, numbers, encodings or length. */
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

/** The header's name in any mix of upper and lower case. */
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

/** Replaces, repeats or removes a header; the values may belong to this company or to another. */
const headerSpoiler: fc.Arbitrary<Spoiler> = fc
  .record({ name: headerName, values: fc.array(headerValue, { maxLength: 3 }) })
  .map(({ name, values }) => (request) => ({ ...request, headers: { ...request.headers, [name]: values } }));

const ifMatchSpoiler: fc.Arbitrary<Spoiler> = fc
  .constantFrom('"1"', '"2"', '"3"', '*', 'W/"1"', '"0"')
  .map((tag) => (request) => ({ ...request, headers: { ...request.headers, 'If-Match': [tag] } }));

/** Acts for one of the company's owners, on a gateway of that owner or of another. */
const ownerSpoiler: fc.Arbitrary<Spoiler> = fc
  .record({ owner: fc.nat({ max: 4 }), gatewayOf: fc.option(fc.nat({ max: 4 })) })
  .map(({ owner, gatewayOf }) => (request, { owners }) => {
    const named = owners[owner % owners.length];
    if (!named) return request;
    const { gatewayId } = owners[(gatewayOf ?? owner) % owners.length] ?? named;
    const acting = { ...request, headers: { ...request.headers, 'x-user-id': [named.contract.userId] } };
    return request.pathParameters && 'gatewayId' in request.pathParameters
      ? withPathId(acting, 'gatewayId', gatewayId)
      : acting;
  });

const identitySpoiler: fc.Arbitrary<Spoiler> = fc.constantFrom<Spoiler>(
  ({ apiKey, ...request }) => request,
  (request) => ({ ...request, apiKey: request.apiKey?.slice(0, -1) ?? '' }),
  (request) => ({ ...request, apiKey: request.apiKey?.toLowerCase() ?? '' }),
  (request, { readKey }) => ({ ...request, apiKey: readKey.apiKey }),
  ({ apiKey = '', ...request }) => ({ ...request, headers: { ...request.headers, 'X-Api-KEY': [apiKey] } }),
  (request) => ({ ...request, headers: { ...request.headers, 'X-Api-Key': [request.apiKey ?? ''] } }),
  (request) => ({ ...request, headers: { ...request.headers, 'x-user-id': [] } }),
  (request, { contract }) => ({ ...request, headers: { ...request.headers, 'X-User-Id': [contract.userId] } }),
  (request, { other }) => ({
    ...request,
    headers: { ...request.headers, 'x-user-id': [other.contract.userId] },
  }),
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

const withForeignGateway: Spoiler = (request, { other }) => withPathId(request, 'gatewayId', other.gatewayId);
const withOwnKeyId: Spoiler = (request, { key }) => withPathId(request, 'keyId', key.keyId);
const withForeignKeyId: Spoiler = (request, { other }) => withPathId(request, 'keyId', other.key.keyId);

const queryNames = ['limit', 'cursor', 'from', 'to', 'include', 'descendants'];
const hostileNumber = fc.constantFrom('1', '100', '101', '0', '-1', '1e1', '0x10', ' 5 ', '1.5', 'true');
const hostileInclude = fc.constantFrom('circuits', 'timePrograms', 'circuits,timePrograms', 'gateways', ',');
const hostileDay = fc.constantFrom(
  ...['2036-03-10', '2036-02-30', '2035-02-29', '0000-01-01', '9999-12-31', '-000001-01-01', '+010000-01-01'],
  ...['2036-3-1', '20360310', '2036-03-10T00:00:00Z', '2036-W11-1', '2036-070'],
  ...['2036-03-10T12:00:00+05:45', '2036-03-10T12:00:00 01:00', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
);

const querySpoiler: fc.Arbitrary<Spoiler> = fc.oneof(
  fc
    .dictionary(
      fc.oneof(fc.constantFrom(...queryNames, '__proto__', 'Limit'), hostileText),
      fc.array(fc.oneof(hostileNumber, hostileDay, hostileInclude, hostileText), { minLength: 1, maxLength: 2 }),
    )
    .map(sending('query')),
  // A cursor with a valid checksum, which a caller who knows the format can compute.
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
  // The same for a home's cursor; some name a position in it.
  fc.oneof(fc.constantFrom('heating#c1', 'dhw#c1#1', 'heating#__proto__#1', 'dhw#c1#', 'GATEWAY'), hostileText).map(
    (position): Spoiler =>
      (request, { companyId }) => {
        const counter = rateLimitKeyOf(
          companyId,
          'getGateway',
          endpoints.getGateway.path,
          request.pathParameters ?? {},
        );
        const cursor = encodeCursor(`${bucketIdOf(counter)} timePrograms`, position);
        return { ...request, query: { include: ['circuits,timePrograms'], cursor: [cursor] } };
      },
  ),
);

/** Ends of overrides and of changes, some of them close to a limit, some in invalid spellings. */
const anyEnd = fc.oneof(
  fc.constantFrom(
    'next-switch-point',
    'next-switch-point ',
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '0001-01-01T00:00Z',
  ),
  fc
    .oneof(fc.integer({ min: -2, max: 8 }), fc.constantFrom(0.001, 30, 31))
    .map((days) => new Date(startMs + days * 86_400_000).toISOString()),
);

/** The valid body with one property, at any depth, changed to another value. */
const propertySpoiler: fc.Arbitrary<Spoiler> = fc
  .record({
    name: fc.oneof(
      fc.constantFrom('operationMode', 'roomSetpointCelsius', 'waterSetpointCelsius', 'activeTimeProgramId'),
      fc.constantFrom('override', 'until', 'since', 'from', 'to', 'holiday', 'access', 'allowedCidrs', 'label'),
      fc.constant('validUntil'),
      fc.constantFrom('name', 'switchPoints', '__proto__', 'constructor', 'toJSON'),
      hostileText,
    ),
    value: fc.oneof(hostileJson, fc.constantFrom<unknown>(21, 50, 5, 30.5, '1', '2', 'auto', 'eco'), anyEnd),
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

const levelSetpoints = fc.array(
  fc.record(
    {
      level: fc.oneof(fc.constantFrom('eco', 'reduced', 'comfort', '__proto__'), hostileText),
      setpointCelsius: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(17, 45, 17.25) }, hostileJson),
    },
    { requiredKeys: ['level'] },
  ),
  { maxLength: 40 },
);

const bodySpoiler: fc.Arbitrary<Spoiler> = fc.oneof(
  hostileJson.map(sending('body')),
  fc.record({ levelSetpoints }).map(sending('body')),
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

/** The changes to a call of this operation that the operation may notice; most get past authentication. */
const spoilersOf = (endpoint: Endpoint): fc.WeightedArbitrary<Spoiler>[] => {
  const names = pathParametersOf(endpoint.path);
  const weighted = (weight: number, arbitraries: fc.Arbitrary<Spoiler>[]) =>
    arbitraries.map((arbitrary) => ({ weight, arbitrary }));
  return [
    ...weighted(1, [headerSpoiler, identitySpoiler]),
    ...weighted(2, endpoint.onBehalfOfUser ? [ownerSpoiler] : []),
    ...weighted(4, names.length > 0 ? [pathSpoiler(names)] : []),
    ...weighted(4, endpoint.query ? [querySpoiler] : []),
    ...weighted(2, endpoint.body ? [ifMatchSpoiler, propertySpoiler, bodySpoiler, base64Spoiler] : []),
  ];
};

export const generated: fc.Arbitrary<Generated> = fc.constantFrom(...operationIds).chain((operationId) =>
  fc.record({
    operationId: fc.constant(operationId),
    companyIndex: fc.nat(),
    spoilers: fc.array(fc.oneof(...spoilersOf(endpoints[operationId])), { maxLength: 3 }),
  }),
);

const withPathId = (request: CallOptions, name: string, id: string): CallOptions => ({
  ...request,
  pathParameters: { ...request.pathParameters, [name]: id },
});
