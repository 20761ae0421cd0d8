import { beforeAll, expect, test } from 'vitest';
import { requirementsOf } from '../../../lambdas/api/chain.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { type CallOptions, call, type EquippedCompany, equipCompany, goodCall, wholeOf } from '../../support/call.ts';
import { companyEvent } from '../../support/feed.ts';
import { usedActions } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test.each(operationIds)('%s succeeds, and uses exactly the table actions that it is granted', async (operationId) => {
  const company = await equipCompany(world.store);
  const event = companyEvent(1, { userId: company.contract.userId });
  await appendEvents(world.store, company.companyId, [event], startMs);
  const withoutFeed = await equipCompany(world.store);
  const otherKey = { apiKey: company.keys[1]?.apiKey ?? '' };
  if (operationId === 'deleteApiKey') await call('createApiKey', otherKey);
  // The contract is read only if the page has a change of a home.
  if (operationId === 'listAuditEntries')
    await call('updateHeatingCircuit', { ...goodCall('updateHeatingCircuit', company), ...otherKey });
  world.proxy.begin();
  if (operationId === 'listEvents') await call(operationId, goodCall(operationId, withoutFeed));
  const [good = {}, ...others] = callsOf(operationId, company);
  expect((await call(operationId, good)).status).toBe(endpoints[operationId].success.status);
  for (const options of others) await call(operationId, options);
  const remedy = 'Write what it uses beyond its chain into tableActions of its row in lambdas/api/endpoints/.';
  expect(usedActions(world.store, world.proxy.exchanges), remedy).toEqual(grantedActions(operationId));
});

/**
 * Returns a first call; an idempotent retry, if the operation supports it; a call with every `include`; calls with an
 * unknown gateway and an unknown circuit, if the path has them; a call that the process remembers; and one whose bucket is not
 * full.
 */
const callsOf = (operationId: OperationId, company: EquippedCompany): CallOptions[] => {
  const { idempotencyKey, path, userId }: Endpoint = endpoints[operationId];
  const good = goodCall(operationId, company);
  const named = { ...good, headers: { ...good.headers, 'Idempotency-Key': ['1'] } };
  const unknownCircuit = { ...good, pathParameters: { ...good.pathParameters, circuitId: 'unknown' } };
  const unknown = { ...good, pathParameters: { ...good.pathParameters, gatewayId: 'unknown' } };
  return [
    good,
    ...(idempotencyKey ? [named, named] : []),
    { ...good, ...wholeOf(operationId) },
    ...(userId ? [{ ...good, headers: { ...good.headers, 'x-user-id': [company.contract.userId] } }] : []),
    ...(path.includes('{gatewayId}') ? [unknown, unknown] : []),
    ...(path.includes('{circuitId}') ? [unknownCircuit] : []),
    // The key itself is already deleted; the tombstone has the creator of its descendant.
    ...(operationId === 'deleteApiKey' ? [{ ...good, query: { descendants: ['true'] } }] : []),
    { ...good, nowMs: startMs + 60_000 },
    { ...good, nowMs: startMs + 60_000 },
  ];
};

const grantedActions = (operationId: OperationId): string[] =>
  Object.entries(requirementsOf(endpoints[operationId]).tableActions)
    .flatMap(([table, actions]) => actions.map((action) => `${action} on ${table}`))
    .toSorted();
