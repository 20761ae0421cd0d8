import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { requirementsOf } from '../../../lambdas/api/chain.ts';
import { type Endpoint, pathParametersOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type ProblemCode, problems } from '../../../lambdas/api/problems.ts';
import { removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { defaultKeyOptions, type KeyOptions } from '../../../lambdas/domain/api-key.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { factTimesAt, installGateway, installGrantedGateway } from '../../support/appliance.ts';
import { type CallOptions, call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { campaign, proven, size } from '../../support/campaign.ts';
import { issueKey, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A cause of a refusal. It is tested with every row that it applies to; rows need no line here. */
type Case = {
  readonly name: string;
  readonly appliesTo: (endpoint: Endpoint) => boolean;
  readonly company?: Parameters<typeof equipCompany>[1];
  readonly injectFault: (
    good: ReturnType<typeof goodCall>,
    company: EquippedCompany,
  ) => CallOptions | Promise<CallOptions>;
  readonly code: ProblemCode;
};

const always = () => true;
const has = (parameter: string) => (endpoint: Endpoint) => pathParametersOf(endpoint.path).includes(parameter);
const hasBody = ({ body }: Endpoint) => body !== undefined;
const canExpire = ({ body }: Endpoint) => Object.hasOwn((body?.() as { shape?: object })?.shape ?? {}, 'validUntil');
const actsForOwner = ({ onBehalfOfUser }: Endpoint) => onBehalfOfUser === true;
const withId = (name: string, id: string) => (good: ReturnType<typeof goodCall>) => ({
  ...good,
  pathParameters: { ...good.pathParameters, [name]: id },
});
const withHeader =
  (name: string, ...values: string[]) =>
  (good: ReturnType<typeof goodCall>) => ({
    ...good,
    headers: { ...good.headers, [name]: values },
  });

/** Returns one key with these options for all cases of a company. */
const keyWith = async (companyId: string, options: Partial<KeyOptions>): Promise<string> => {
  const name = `${companyId} ${JSON.stringify(options)}`;
  const issued = otherKeys.get(name) ?? issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, ...options });
  otherKeys.set(name, issued);
  return (await issued).apiKey;
};

const otherKeys = new Map<string, ReturnType<typeof issueKey>>();

/** An invalid value for each parameter. */
const wrongValues = {
  limit: 'many',
  cursor: 'made-up',
  after: 'made-up',
  consent: 'many',
  from: 'many',
  to: 'many',
  include: 'everything',
  descendants: 'many',
};

const cases: Case[] = [
  { name: 'no key', appliesTo: always, injectFault: ({ apiKey, ...rest }) => rest, code: 'api-key-missing' },
  { name: 'wrong key', appliesTo: always, injectFault: (good) => ({ ...good, apiKey: 'x' }), code: 'api-key-invalid' },
  {
    name: 'expired key',
    appliesTo: always,
    injectFault: (good, { key }) => ({ ...good, nowMs: key.expiresAtMs }),
    code: 'api-key-expired',
  },
  {
    name: 'suspended company',
    appliesTo: always,
    company: { state: 'suspended' },
    injectFault: (good) => good,
    code: 'company-suspended',
  },
  {
    name: 'foreign address',
    appliesTo: always,
    injectFault: (good) => ({ ...good, sourceIp: '192.0.2.1' }),
    code: 'source-address-not-allowed',
  },
  {
    name: 'address that the key does not work from',
    appliesTo: always,
    injectFault: async (good, { companyId }) => ({
      ...good,
      apiKey: await keyWith(companyId, { allowedCidrs: ['127.0.0.2/32'] }),
    }),
    code: 'source-address-not-allowed',
  },
  {
    name: 'key that may only read',
    appliesTo: ({ method }) => method !== 'GET',
    injectFault: async (good, { companyId }) => ({ ...good, apiKey: await keyWith(companyId, { access: 'read' }) }),
    code: 'api-key-read-only',
  },
  { name: 'no owner', appliesTo: actsForOwner, injectFault: withHeader('x-user-id'), code: 'user-id-missing' },
  {
    name: 'unknown owner',
    appliesTo: (endpoint) => actsForOwner(endpoint) || endpoint.userId !== undefined,
    injectFault: withHeader('x-user-id', 'unknown'),
    code: 'user-id-mismatch',
  },
  {
    name: 'owner of another company',
    appliesTo: (endpoint) => actsForOwner(endpoint) || endpoint.userId !== undefined,
    injectFault: async (good) => withHeader('x-user-id', (await anotherCompany()).contract.userId)(good),
    code: 'user-id-mismatch',
  },
  {
    name: 'contract that has ended',
    appliesTo: actsForOwner,
    company: { state: 'ended' },
    injectFault: (good) => good,
    code: 'contract-not-active',
  },
  {
    name: 'consent to an earlier version',
    appliesTo: actsForOwner,
    company: { acceptedConsentVersion: 2 },
    injectFault: (good) => good,
    code: 'consent-outdated',
  },
  {
    name: 'no consent',
    appliesTo: actsForOwner,
    company: { ...noConsent },
    injectFault: (good) => good,
    code: 'consent-outdated',
  },
  {
    name: 'unknown gateway',
    appliesTo: has('gatewayId'),
    injectFault: withId('gatewayId', 'unknown'),
    code: 'gateway-not-in-contract',
  },
  {
    name: 'foreign gateway',
    appliesTo: has('gatewayId'),
    injectFault: async (good) => withId('gatewayId', (await installGateway(world.store)).gatewayId)(good),
    code: 'gateway-not-in-contract',
  },
  {
    name: 'gateway that is granted and not described',
    appliesTo: has('gatewayId'),
    injectFault: async (good, { companyId }) => {
      const gatewayId = `gw-${randomUUID()}`;
      await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
      return withId('gatewayId', gatewayId)(good);
    },
    code: 'gateway-not-found',
  },
  {
    name: 'gateway that was removed',
    appliesTo: has('gatewayId'),
    injectFault: async (good, { companyId }) => {
      const { gatewayId } = await installGrantedGateway(world.store, companyId);
      await removeGateway(world.store, gatewayId, factTimesAt(startMs));
      return withId('gatewayId', gatewayId)(good);
    },
    code: 'gateway-not-found',
  },
  {
    name: 'unknown circuit',
    appliesTo: has('circuitId'),
    injectFault: withId('circuitId', 'unknown'),
    code: 'circuit-not-found',
  },
  {
    name: 'unknown time program',
    appliesTo: has('timeProgramId'),
    injectFault: withId('timeProgramId', 'unknown'),
    code: 'time-program-not-found',
  },
  {
    name: 'gateway without features',
    appliesTo: ({ method, problems }) => method !== 'PATCH' && (problems?.includes('not-supported') ?? false),
    injectFault: async (good, { companyId }) => {
      const { gatewayId } = await installGrantedGateway(world.store, companyId, { features: [] });
      return withId('gatewayId', gatewayId)(good);
    },
    code: 'not-supported',
  },
  {
    name: 'circuit without levels',
    appliesTo: ({ method, problems }) => method === 'PATCH' && (problems?.includes('not-supported') ?? false),
    injectFault: (good) => ({ ...good, body: { levelSetpoints: [{ level: 'reduced', setpointCelsius: 17 }] } }),
    code: 'not-supported',
  },
  {
    name: 'unknown webhook',
    appliesTo: has('webhookId'),
    injectFault: withId('webhookId', 'unknown'),
    code: 'webhook-not-found',
  },
  {
    name: 'foreign webhook',
    appliesTo: has('webhookId'),
    injectFault: async (good) => withId('webhookId', (await anotherCompany()).webhook.webhookId)(good),
    code: 'webhook-not-found',
  },
  ...Object.entries(wrongValues).map(
    ([name, value]): Case => ({
      name: `wrong value of the query parameter ${name}`,
      appliesTo: ({ query }) => query !== undefined && name in query().shape,
      injectFault: (good) => ({ ...good, query: { [name]: [value] } }),
      code: 'invalid-request',
    }),
  ),
  {
    name: 'unknown query parameter',
    appliesTo: ({ query }) => query !== undefined,
    injectFault: (good) => ({ ...good, query: { unknown: ['1'] } }),
    code: 'invalid-request',
  },
  {
    name: 'other media type',
    appliesTo: hasBody,
    injectFault: withHeader('content-type', 'text/plain'),
    code: 'unsupported-media-type',
  },
  {
    name: 'broken body',
    appliesTo: hasBody,
    injectFault: (good) => ({ ...good, body: '{' }),
    code: 'invalid-request',
  },
  {
    name: 'unknown property',
    appliesTo: hasBody,
    injectFault: (good) => ({ ...good, body: { ...(good.body as object), surprise: 1 } }),
    code: 'invalid-request',
  },
  ...Object.entries({ past: 0, 'far future': 31 }).map(
    ([when, days]): Case => ({
      name: `validUntil in the ${when}`,
      appliesTo: canExpire,
      injectFault: (good) => {
        const validUntil = toTimestamp((good.nowMs ?? 0) + days * 86_400_000);
        return { ...good, body: { ...(good.body as object), validUntil } };
      },
      code: 'invalid-request',
    }),
  ),
  {
    name: 'huge body',
    appliesTo: hasBody,
    injectFault: (good) => ({ ...good, body: JSON.stringify({ name: 'x'.repeat(40_000) }) }),
    code: 'body-too-large',
  },
  {
    name: 'URL that a webhook has already',
    appliesTo: ({ path, method }) => path === '/webhooks' && method === 'POST',
    injectFault: async (good) => {
      await call('createWebhook', good);
      return good;
    },
    code: 'webhook-exists',
  },
  {
    name: 'malformed Idempotency-Key',
    appliesTo: ({ idempotencyKey }) => idempotencyKey !== undefined,
    injectFault: withHeader('Idempotency-Key', '"'),
    code: 'invalid-request',
  },
  {
    name: 'Idempotency-Key whose key was used',
    appliesTo: ({ idempotencyKey }) => idempotencyKey !== undefined,
    injectFault: async (good) => {
      const repeatable = withHeader('Idempotency-Key', 'value')(good);
      const { body } = await call('createApiKey', repeatable);
      await call('getOwnApiKey', { ...good, apiKey: body.apiKey });
      return repeatable;
    },
    code: 'idempotency-key-spent',
  },
  {
    name: 'malformed If-Match',
    appliesTo: ({ ifMatch }) => ifMatch !== undefined,
    injectFault: withHeader('If-Match', '1'),
    code: 'invalid-request',
  },
  {
    name: 'stale If-Match',
    appliesTo: ({ ifMatch }) => ifMatch !== undefined,
    injectFault: withHeader('If-Match', '"0"'),
    code: 'precondition-failed',
  },
];

const rows = Object.entries<Endpoint>(endpoints) as [OperationId, Endpoint][];

type Cell = { readonly operationId: OperationId; readonly name: string; readonly code: ProblemCode };

/** Returns the endpoints that a case applies to. */
const cellsOf = ({ appliesTo, name, code }: Case): Cell[] =>
  rows.flatMap(([operationId, endpoint]) => (appliesTo(endpoint) ? [{ operationId, name, code }] : []));

/** The causes that the customer's rules name, and their names in `cases`. */
const ofRules = [
  ...['no key', 'foreign address', 'no owner', 'unknown owner', 'owner of another company', 'contract that has ended'],
  ...['unknown gateway', 'foreign gateway', 'consent to an earlier version', 'no consent'],
] as const;

/** Every fourth endpoint that another case applies to, at least one, with other endpoints for the next case. */
const sample = cases.flatMap((each, ordinal) => {
  if ((ofRules as readonly string[]).includes(each.name)) return [];
  const cells = cellsOf(each);
  return cells.filter((_, index) => index % 4 === ordinal % Math.min(4, cells.length));
});

const companies = new Map<Case['company'], Promise<EquippedCompany>>();

/** Returns one company for all cases with the same requirements: refused calls change nothing. */
const companyWith = (overrides: Case['company']): Promise<EquippedCompany> => {
  const equipped = companies.get(overrides) ?? equipCompany(world.store, overrides);
  companies.set(overrides, equipped);
  return equipped;
};

let another: Promise<EquippedCompany> | undefined;

/** Returns a company that has nothing to do with those of the cases. */
const anotherCompany = (): Promise<EquippedCompany> => {
  another ??= equipCompany(world.store);
  return another;
};

let minute = 0;

const expectRefusal = async ({ operationId, name, code }: Cell) => {
  const { company, injectFault } = cases.find((each) => each.name === name) as Case;
  const equipped = await companyWith(company);
  const good = {
    ...goodCall(operationId, equipped),
    // Uses an empty process memory, and times so far apart that no call exceeds the rate limit.
    environment: { ...world.environment, memory: createProcessMemory() },
    nowMs: startMs + minute++ * 60_000,
  };
  const answer = await call(operationId, await injectFault(good, equipped));
  expect(answer.body.code, `${operationId}: ${name}`).toBe(code);
  expect(requirementsOf(endpoints[operationId]).problems, operationId).toContain(code);
};

/** Tries these causes with every endpoint that they apply to. */
const expectRefusals = async (...names: (typeof ofRules)[number][]) => {
  for (const name of names) {
    const cells = cases.filter((each) => each.name === name).flatMap(cellsOf);
    expect(cells.length, name).toBeGreaterThan(0);
    for (const cell of cells) await expectRefusal(cell);
  }
};

test('rule 10: a request without a key fails, whatever its operation', () => expectRefusals('no key'));

test('rule 11: a request from an address that is not registered for its company fails, whatever its operation', () =>
  expectRefusals('foreign address'));

test('rule 13: remote control without an owner with whom the company has a contract fails, whatever its operation', () =>
  expectRefusals('no owner', 'unknown owner', 'owner of another company', 'contract that has ended'));

test('rule 14: remote control of a gateway that the contract does not cover fails, whatever its operation', () =>
  expectRefusals('unknown gateway', 'foreign gateway'));

test('rule 15: remote control without consent to the latest version fails, whatever its operation', () =>
  expectRefusals('consent to an earlier version', 'no consent'));

test.each(sample)('$operationId: $name: $code', expectRefusal);

test('every cause that can refuse a call, with every endpoint', proven, async ({ annotate }) => {
  const cells = cases.flatMap(cellsOf);
  for (const cell of cells) await expectRefusal(cell);
  await annotate(`${cells.length} refusals`);
});

test.each(rows.filter(([, { path }]) => pathParametersOf(path).length > 0))(
  '%s: a malformed id in the path: invalid-request',
  async (operationId, { path }) => {
    const good = goodCall(operationId, await companyWith(undefined));
    for (const name of pathParametersOf(path)) {
      const answer = await call(operationId, withId(name, 'a/b')(good));
      expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: `/path/${name}` }] });
    }
  },
);

/** One endpoint of each rate policy. */
const limited = Object.values(Object.fromEntries(rows.map((row) => [row[1].ratePolicy, row])));

test.each(size({ test: limited, prove: rows }))(
  '%s: the call after the burst: rate-limit-exceeded',
  campaign,
  async (operationId, { ratePolicy }) => {
    const good = goodCall(operationId, await equipCompany(world.store));
    const { burst } = ratePolicies[ratePolicy];
    const codes = [];
    for (let request = 0; request <= burst; request++)
      codes.push((await call(operationId, { ...good, nowMs: startMs })).body?.code);
    expect(codes.slice(0, -1)).not.toContain('rate-limit-exceeded');
    expect(codes.at(-1)).toBe('rate-limit-exceeded');
  },
);

test('the matrix and the other tests cover every problem that a function can answer', () => {
  const elsewhere: ProblemCode[] = [
    'rate-limit-exceeded',
    'api-key-limit-reached',
    'api-key-in-use',
    'api-key-not-found',
    'contract-not-found',
    'cursor-expired',
    'appliance-function-blocked',
    'webhook-host-not-registered',
    'webhook-limit-reached',
    'webhook-code-mismatch',
    'internal-error',
    'service-unavailable',
    // Only API Gateway returns these.
    'route-not-found',
    'throttled',
  ];
  const remedy = 'Add a case for it above, or, if another test provokes it, its code to `elsewhere`.';
  expect([...new Set([...cases.map(({ code }) => code), ...elsewhere])].toSorted(), remedy).toEqual(
    Object.keys(problems).toSorted(),
  );
});
