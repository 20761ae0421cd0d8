import { beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { addOwner, call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { campaign, size } from '../../support/campaign.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let stranger: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
  stranger = await equipCompany(world.store);
});

type OwnOwner = 'in order' | 'another in order' | 'ended' | 'without consent' | 'not opened';

/** The contract with each owner; each has its own gateway. */
const contractOf: Readonly<Record<OwnOwner, Partial<Pick<Contract, 'state' | 'acceptedConsentVersion'>>>> = {
  'in order': {},
  'another in order': {},
  ended: { state: 'ended' },
  'without consent': { acceptedConsentVersion: 2 },
  'not opened': { state: 'unopened' },
};

const companies = {
  one: ['in order'],
  'one, ended': ['ended'],
  'one without consent': ['without consent'],
  several: ['in order', 'another in order', 'ended', 'without consent', 'not opened'],
  'several, the first of which has ended': ['ended', 'in order'],
  none: ['not opened'],
} as const satisfies Record<string, readonly [OwnOwner, ...OwnOwner[]]>;

type Named = OwnOwner | 'without this gateway' | 'of another company' | 'unknown' | 'no owner';
type Outcome = 'done' | ProblemCode;

/** The outcomes of remote control and of reading the contract. */
const table: readonly [company: keyof typeof companies, named: Named, control: Outcome, contract: Outcome][] = [
  ['one', 'in order', 'done', 'done'],
  ['one', 'of another company', 'user-id-mismatch', 'user-id-mismatch'],
  ['one', 'unknown', 'user-id-mismatch', 'user-id-mismatch'],
  ['one', 'no owner', 'user-id-missing', 'done'],
  ['one, ended', 'ended', 'contract-not-active', 'done'],
  ['one, ended', 'no owner', 'user-id-missing', 'done'],
  ['one without consent', 'without consent', 'consent-outdated', 'done'],
  ['several', 'in order', 'done', 'done'],
  ['several', 'another in order', 'done', 'done'],
  ['several', 'without this gateway', 'gateway-not-in-contract', 'done'],
  ['several', 'ended', 'contract-not-active', 'done'],
  ['several', 'without consent', 'consent-outdated', 'done'],
  ['several', 'not opened', 'user-id-mismatch', 'user-id-mismatch'],
  ['several', 'of another company', 'user-id-mismatch', 'user-id-mismatch'],
  ['several', 'unknown', 'user-id-mismatch', 'user-id-mismatch'],
  ['several', 'no owner', 'user-id-missing', 'user-id-missing'],
  ['several, the first of which has ended', 'in order', 'done', 'done'],
  ['none', 'not opened', 'user-id-mismatch', 'user-id-mismatch'],
  ['none', 'of another company', 'user-id-mismatch', 'user-id-mismatch'],
  ['none', 'unknown', 'user-id-mismatch', 'user-id-mismatch'],
  ['none', 'no owner', 'user-id-missing', 'contract-not-found'],
];

/** Removals last, since other operations need what they remove. */
const operations = [false, true].flatMap((isRemoval) =>
  operationIds.filter((operationId) => (endpoints[operationId].method === 'DELETE') === isRemoval),
);

/** Operations that end with a company's only contract. */
const endsWithContract: readonly OperationId[] = ['createWebhook', 'verifyWebhook', 'testWebhook'];

const expectedOutcome = (
  operationId: OperationId,
  [company, named, control, contract]: (typeof table)[number],
): Outcome => {
  const { onBehalfOfUser, userId, path }: Endpoint = endpoints[operationId];
  if (onBehalfOfUser) return named === 'without this gateway' && !path.includes('{gatewayId}') ? 'done' : control;
  if (userId) return contract;
  return company === 'one, ended' && endsWithContract.includes(operationId) ? 'contract-not-active' : 'done';
};

/** A row calls every n-th operation, the next row the next ones. Each row calls the operation with an optional owner. */
const oneIn = size({ test: 4, prove: 1 });
const operationsFor = (row: (typeof table)[number]) =>
  operations.filter(
    (operationId, index) => operationId === 'getContract' || index % oneIn === table.indexOf(row) % oneIn,
  );

type Owner = Pick<EquippedCompany, 'contract' | 'gatewayId'>;

const equipKind = async (kind: keyof typeof companies) => {
  const [first, ...others] = companies[kind];
  const company = await equipCompany(world.store, contractOf[first]);
  const owners = new Map<OwnOwner, Owner>([[first, company]]);
  const added = others.map(async (each) => owners.set(each, await addOwner(world.store, company, contractOf[each])));
  await Promise.all(added);
  return { company, owners };
};

/** Returns the owner for the header, and the gateway for the path. */
const nameOwner = (
  named: Named,
  { company, owners }: Awaited<ReturnType<typeof equipKind>>,
): { readonly userId?: string; readonly gatewayId: string } => {
  const { gatewayId } = company;
  if (named === 'no owner') return { gatewayId };
  if (named === 'unknown') return { userId: 'unknown', gatewayId };
  if (named === 'of another company') return { userId: stranger.contract.userId, gatewayId: stranger.gatewayId };
  const own = named === 'without this gateway' ? 'another in order' : named;
  const owner = owners.get(own) as Owner;
  return { userId: owner.contract.userId, gatewayId: named === own ? owner.gatewayId : gatewayId };
};

test.each(table.map((row) => [...row, operationsFor(row)] as const))(
  'every operation; contracts: %s; named owner: %s; remote control: %s; reading the contract: %s',
  campaign,
  async (...[kind, named, control, contract, played]) => {
    const equipped = await equipKind(kind);
    const { userId, gatewayId } = nameOwner(named, equipped);
    const owner = [...equipped.owners.values()].find((each) => each.contract.userId === userId);
    const outcomes: Partial<Record<OperationId, Outcome>> = {};
    for (const [index, operationId] of played.entries()) {
      const good = goodCall(operationId, { ...equipped.company, gatewayId });
      const headers = { ...good.headers, 'x-user-id': userId === undefined ? [] : [userId] };
      // So far apart that no call exceeds the rate limit.
      const { status, body } = await call(operationId, { ...good, headers, nowMs: startMs + index * 60_000 });
      outcomes[operationId] = status < 300 ? 'done' : body.code;
      if (status < 300 && owner && operationId === 'getContract')
        expect(body).toMatchObject({ userId, state: owner.contract.state });
      if (status < 300 && operationId === 'listGateways')
        expect(body.items).toMatchObject([{ gatewayId: owner?.gatewayId }]);
    }
    expect(outcomes).toEqual(
      Object.fromEntries(
        played.map((operationId) => [operationId, expectedOutcome(operationId, [kind, named, control, contract])]),
      ),
    );
  },
);
