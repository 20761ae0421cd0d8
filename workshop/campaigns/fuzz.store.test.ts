import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { describeGateway } from '../../lambdas/data/appliances/gateways.ts';
import { contractKey } from '../../lambdas/data/contracts/contracts.ts';
import { defaultKeyOptions } from '../../lambdas/domain/api-key.ts';
import { factTimesAt } from '../../test/support/appliance.ts';
import {
  addOwner,
  type CallOptions,
  call,
  type EquippedCompany,
  equipCompany,
  goodCall,
} from '../../test/support/call.ts';
import { campaign, playRounds, size } from '../../test/support/campaign.ts';
import { issueKey, openWorld, startMs, theWorld } from '../../test/support/world.ts';
import { type FuzzedCompany, type Generated, generated } from './fuzz-requests.ts';

/** Batches per round, concurrent requests per batch, and the time from one batch to the next. */
const batches = size({ test: 5, prove: 10 });
const batchSize = 25;
const pauseMs = 5000;

const maxLogLineBytes = 1024;

/** Most companies are in order; one contract has ended, and one owner has not accepted the latest consent version. */
const companyStates: Parameters<typeof equipCompany>[1][] = [
  {},
  {},
  {},
  {},
  { state: 'ended' },
  { acceptedConsentVersion: 2 },
];

const levelSetpoints = ['eco', '__proto__'].map((level) => ({ level, minimum: 10, maximum: 50 }));

let companies: FuzzedCompany[];
beforeAll(async () => {
  const { store } = await openWorld();
  const alone = await Promise.all(companyStates.map((state) => equipCompany(store, state)));
  const circuits = (['heating', 'dhw'] as const).flatMap((family) =>
    ['c1', 'c2'].map((circuitId) => ({ family, circuitId, limits: { levelSetpoints } })),
  );
  for (const { gatewayId } of alone) await describeGateway(store, { gatewayId, circuits }, factTimesAt(startMs));
  const [several, none] = [await equipCompany(store), await equipCompany(store)];
  await store.send(new DeleteCommand({ TableName: store.tableName('Contracts'), Key: contractKey(none.contract) }));
  const others = await Promise.all(
    ([{}, { state: 'ended' }, { acceptedConsentVersion: 2 }, { state: 'unopened' }] as const).map((peculiar) =>
      addOwner(store, several, peculiar),
    ),
  );
  const [other = several] = alone;
  const readKeyOf = ({ companyId }: EquippedCompany) =>
    issueKey(store, companyId, startMs, { ...defaultKeyOptions, access: 'read' });
  const fuzzed = [
    ...alone.map((company, index) => ({ ...company, owners: [company], other: index === 0 ? several : other })),
    { ...several, owners: [several, ...others], other },
    { ...none, owners: [], other },
  ];
  companies = await Promise.all(fuzzed.map(async (company) => ({ ...company, readKey: await readKeyOf(company) })));
});

test(
  `${batches * batchSize} generated requests: answers fit the document, no 5xx, no access without permission`,
  campaign,
  async (context) => {
    const outcomes: Record<string, number> = {};
    const { lines } = theWorld();
    let nowMs = startMs;

    const answerOf = async ({ operationId, companyIndex, spoilers }: Generated) => {
      const company = companies[companyIndex % companies.length] as FuzzedCompany;
      const good: CallOptions = { ...goodCall(operationId, company), nowMs };
      const request = spoilers.reduce((options, injectFault) => injectFault(options, company, operationId), good);
      const { status, body } = await call(operationId, request);
      expect(status).toBeLessThan(500);
      if (status < 300) expectEntitled(operationId, company, request);
      if (status < 300 && operationId === 'listContracts') expectOwnGateways(company, body.items);
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
    if (requests >= enoughForUsual) expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(usualOutcomes));
    if (requests >= enoughForRare) expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(rareOutcomes));
    expect(outcomes['rate-limit-exceeded'] ?? 0).toBeLessThan(requests / 5);
    expect(Object.keys(Object.prototype)).toEqual([]);

    expect(lines.length).toBe(requests);
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(maxLogLineBytes);
    for (const { keys } of companies)
      for (const { apiKey } of keys) expect(lines.filter((line) => line.includes(apiKey))).toEqual([]);
  },
);

/** Enough requests for every usual outcome: the rarest occurs four times in a thousand requests. */
const enoughForUsual = 3000;
const usualOutcomes = [
  ...['200', '201', '202', 'invalid-request', 'user-id-mismatch', 'api-key-missing', 'api-key-invalid'],
  ...['source-address-not-allowed', 'gateway-not-in-contract', 'api-key-not-found'],
  ...['contract-not-active', 'consent-outdated', 'api-key-read-only'],
];

/** Enough requests for every rare outcome: the rarest occurs once in a thousand requests. */
const enoughForRare = 10_000;
const rareOutcomes = [
  ...['204', 'user-id-missing', 'api-key-in-use', 'circuit-not-found', 'time-program-not-found', 'precondition-failed'],
  ...['api-key-limit-reached', 'unsupported-media-type', 'body-too-large', 'rate-limit-exceeded'],
];

/**
 * A success requires exactly the company's key, or for a read the read-only key, from an allowed address. A call for an owner
 * requires a contract that is in order and a gateway of that contract.
 */
const expectEntitled = (operationId: OperationId, company: FuzzedCompany, request: CallOptions) => {
  // As the test builds the event: a header in exactly this spelling replaces the one from `apiKey`.
  const headers = { ...(request.apiKey !== undefined && { 'x-api-key': [request.apiKey] }), ...request.headers };
  const sent = valuesOf({ headers }, 'x-api-key');
  expect(sent.length).toBe(1);
  const { key, readKey } = company;
  const entitled = endpoints[operationId].method === 'GET' ? [key, readKey] : [key];
  expect(entitled.map(({ apiKey }) => apiKey)).toContain(sent[0]);
  expect(request.sourceIp ?? '127.0.0.1').toBe('127.0.0.1');
  const endpoint: Endpoint = endpoints[operationId];
  if (!endpoint.onBehalfOfUser) return;
  const [userId, ...others] = valuesOf(request, 'x-user-id');
  expect(others).toEqual([]);
  const owner = company.owners.find(({ contract }) => contract.userId === userId);
  expect(owner?.contract).toMatchObject({ state: 'active', acceptedConsentVersion: 3 });
  if (operationId !== 'listGateways') expect(request.pathParameters?.gatewayId).toBe(owner?.gatewayId);
};

/** A list with gateways has those of each owner whose contract is in order. */
const expectOwnGateways = ({ owners }: FuzzedCompany, items: readonly Listed[]) => {
  for (const { userId, gatewayIds } of items.filter((item) => 'gatewayIds' in item)) {
    const owner = owners.find(({ contract }) => contract.userId === userId);
    const { state, acceptedConsentVersion } = owner?.contract ?? {};
    expect(gatewayIds).toEqual(state === 'active' && acceptedConsentVersion === 3 ? [owner?.gatewayId] : null);
  }
};

type Listed = { readonly userId: string; readonly gatewayIds?: readonly string[] | null };

const valuesOf = ({ headers = {} }: CallOptions, name: string) =>
  Object.entries(headers).flatMap(([spelling, values]) => (spelling.toLowerCase() === name ? values : []));
