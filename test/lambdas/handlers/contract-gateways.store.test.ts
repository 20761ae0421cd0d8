import { beforeAll, describe, expect, test } from 'vitest';
import { maxGatewaysPerPage } from '../../../lambdas/api/limits.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { installGateway, putGateway } from '../../support/appliance.ts';
import { addOwner, call, equipCompany } from '../../support/call.ts';
import { consumedUnits } from '../../support/units.ts';
import { onboard, openWorld, putAtOnce, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Item = { readonly userId: string; readonly gateways: number; readonly gatewayIds: readonly string[] | null };

/** Returns a function that lists contracts with their gateways, each time with a full bucket. */
const listingOf = (apiKey: string) => {
  let nowMs = startMs;
  return (query: Readonly<Record<string, string>> = {}) => {
    nowMs += 60_000;
    const sent = Object.entries({ include: 'gateways', ...query }).map(([name, value]) => [name, [value]]);
    return call('listContracts', { apiKey, nowMs, query: Object.fromEntries(sent) });
  };
};

test('each contract has the gateways that listGateways returns for its owner, or null where it refuses', async () => {
  const company = await equipCompany(world.store);
  const elsewhere = await equipCompany(world.store);
  const [withTwo] = [
    await addOwner(world.store, company),
    await addOwner(world.store, company, { state: 'ended' }),
    await addOwner(world.store, company, { acceptedConsentVersion: 2 }),
    await addOwner(world.store, company, noConsent),
  ];
  // Another gateway, one that was never described, and one that the same owner has granted to another company.
  await grantGateway(world.store, withTwo.contract, (await installGateway(world.store)).gatewayId, startMs);
  await grantGateway(world.store, company.contract, 'undescribed', startMs);
  const { companyId } = elsewhere;
  await putContract(world.store, { ...withTwo.contract, companyId });
  await grantGateway(world.store, { ...withTwo.contract, companyId }, elsewhere.gatewayId, startMs);

  const { items }: { items: Item[] } = (await listingOf(company.key.apiKey)()).body;
  const listed: (string[] | null)[] = [];
  const refusals: string[] = [];
  for (const [index, { userId }] of items.entries()) {
    const nowMs = startMs + index * 60_000;
    const options = { apiKey: company.key.apiKey, nowMs, headers: { 'x-user-id': [userId] } };
    const { status, body } = await call('listGateways', options);
    listed.push(status === 200 ? body.items.map(({ gatewayId }: { gatewayId: string }) => gatewayId) : null);
    if (status !== 200) refusals.push(body.code);
  }
  expect(items.map(({ gatewayIds }) => gatewayIds)).toEqual(listed);
  expect(refusals).toEqual(['contract-not-active', 'consent-outdated', 'consent-outdated']);
  expect(items.map(({ gateways }) => gateways)).toEqual([2, 2, 1, 1, 1]);
});

test('a gateway that moves to another owner while the contracts are read may be shown with both', async () => {
  const company = await equipCompany(world.store);
  const { gatewayId } = company;
  const other = { ...company.contract, userId: 'other', gateways: byIds([[gatewayId, grant]]) };
  await putContract(world.store, other);
  const { items }: { items: Item[] } = (await listingOf(company.key.apiKey)()).body;
  expect(items.map(({ gatewayIds }) => gatewayIds)).toEqual([[gatewayId], [gatewayId]]);
});

test.each(['', 'Gateways', 'gateways,gateways', 'circuits'])('include=%s is refused and named', async (include) => {
  const { key } = await onboard(world.store);
  const { status, body } = await listingOf(key.apiKey)({ include });
  expect(status).toBe(400);
  expect(body.errors).toEqual([{ pointer: '/query/include', detail: 'Expected gateways.' }]);
});

describe('pages', () => {
  test('end before the owner with whom they would have too many gateways, and show each owner once', async () => {
    const sizes = [0, 1, 200, 99, 1, maxGatewaysPerPage + 50, 0, maxGatewaysPerPage, 1];
    const { list } = await withFleet(sizes);
    const pages: number[][] = [];
    const units: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      world.proxy.begin();
      const { items, nextCursor }: { items: Item[]; nextCursor: string | null } = (await list(cursor ? { cursor } : {}))
        .body;
      for (const { gateways, gatewayIds } of items) expect(gatewayIds).toHaveLength(gateways);
      pages.push(items.map(({ gateways }) => gateways));
      units.push(unitsOf('Appliances'));
      cursor = nextCursor;
    }
    expect(pages).toEqual([[0, 1, 200, 99], [1], [maxGatewaysPerPage + 50], [0, maxGatewaysPerPage], [1]]);
    expect(units).toEqual(pages.map((page) => page.reduce((sum, size) => sum + size) / 2));
  });

  test('of a hundred owners take 155 read units and 7 calls of the store', async () => {
    const { list } = await withFleet(Array.from({ length: 101 }, (_, index) => (index % 25 === 0 ? 2 : 1)));
    await list({ limit: '100' });
    world.proxy.begin();
    const { items } = (await list({ limit: '100' })).body;
    expect(items).toHaveLength(100);
    expect([unitsOf(), world.proxy.exchanges.length]).toEqual([155, 7]);
  });

  test('show what holds when they are read: no gateways once the contract or the consent has ended', async () => {
    const { company, contracts, list } = await withFleet([1, 1, 1, 1, 1]);
    const first = (await list({ limit: '2' })).body;
    const [shown, , ended, withdrawn] = contracts as [Contract, Contract, Contract, Contract];
    await putContract(world.store, { ...shown, state: 'ended' });
    await putContract(world.store, { ...ended, state: 'ended' });
    await putContract(world.store, { ...withdrawn, ...noConsent });
    const { items }: { items: Item[] } = (await list({ cursor: first.nextCursor })).body;
    expect([...first.items, ...items].map(({ userId }) => userId)).toEqual(contracts.map(({ userId }) => userId));
    expect(items.map(({ gatewayIds }) => gatewayIds?.length ?? null)).toEqual([null, null, 1]);
    await putCompany(world.store, { ...company, state: 'suspended' });
    expect((await list({ cursor: first.nextCursor })).body.code).toBe('company-suspended');
  });
});

const grant = { grantedAtMs: startMs, receivedAtMs: startMs };

/** Onboards a company that has an owner with each of these numbers of gateways, in the order of their ids. */
const withFleet = async (sizes: readonly number[]) => {
  const { companyId, company, contract, key } = await onboard(world.store, { state: 'unopened' });
  const model = await installGateway(world.store);
  const contracts = sizes.map((size, index): Contract => {
    const userId = `owner-${100 + index}`;
    const ids = Array.from({ length: size }, (_, gateway) => `${companyId}-${index}-${gateway}`);
    return { ...contract, userId, state: 'active', gateways: byIds(ids.map((id) => [id, grant] as const)) };
  });
  const puts = contracts.flatMap((each, index) => [
    (store: typeof world.store) => putContract(store, each),
    ...Array.from({ length: sizes[index] ?? 0 }, (_, gateway) => (store: typeof world.store) => {
      const gatewayId = `${companyId}-${index}-${gateway}`;
      return putGateway(store, { ...model, gatewayId });
    }),
  ]);
  for (let put = 0; put < puts.length; put += 100)
    await putAtOnce(world.store, async (collector) => {
      for (const act of puts.slice(put, put + 100)) await act(collector);
    });
  return { company, contracts, list: listingOf(key.apiKey) };
};

/** The read units that the recorded calls have consumed, of one table or of all. */
const unitsOf = (name = ''): number =>
  consumedUnits(world.proxy.exchanges)
    .filter(({ table }) => table.includes(name))
    .reduce((sum, { readUnits }) => sum + readUnits, 0);
