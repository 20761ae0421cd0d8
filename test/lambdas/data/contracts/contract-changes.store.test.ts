import { beforeAll, describe, expect, test } from 'vitest';
import { changeContract, findContract, putContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { consentGivenAt } from '../../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { operatorActOn, overtakenBy, readAudit } from '../../../support/store.ts';
import { onboard, openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** What somebody else makes of each attribute at the same moment. */
const changedMeanwhile: { readonly [name in keyof Omit<Contract, 'companyId'>]: Contract[name] } = {
  name: 'Changed meanwhile',
  state: 'ended',
  sinceMs: startMs + 1,
  userId: 'somebody-else',
  allowedCidrs: ['192.0.2.0/24'],
  webhookHosts: ['acme.test'],
  ...consentGivenAt(2, startMs + 1),
};

describe('a change of a contract rests on the whole contract as it was seen', () => {
  test.each(Object.entries(changedMeanwhile))(
    'another’s change of %s at the same moment is a conflict, stays, and nothing is on record of the one that lost',
    async (name, value) => {
      const { companyId, contract } = await onboard(world.store);
      const rows = await readAudit(world.store, companyId);
      const current = { ...contract, [name]: value };
      const overtaken = overtakenBy(world.store, () => putContract(world.store, current));
      const change = name === 'name' ? { state: 'suspended' as const } : { name: 'Changed here' };
      expect(await changeContract(overtaken, operatorActOn(companyId), contract, change)).toEqual({
        outcome: 'conflict',
        current,
      });
      expect(await findContract(world.store, companyId)).toEqual(current);
      expect(await readAudit(world.store, companyId)).toEqual(rows);
    },
  );
});

/** What rows from before them lack. */
const later = {
  webhookHosts: ['acme.test'],
  ...{ acceptanceReceivedAtMs: startMs, consentedSinceMs: startMs },
  ...{ consentChangedAtMs: startMs, consentClaimedAtMs: startMs },
};

describe('a contract from before some of its attributes', () => {
  const onboardLongAgo = async () => {
    const unknown = Object.keys(later).filter((name) => name !== 'webhookHosts');
    const { companyId, contract } = await onboard(world.store, Object.fromEntries(unknown.map((name) => [name, null])));
    const row = Object.fromEntries(Object.entries(contract).filter(([name]) => !(name in later)));
    await putContract(world.store, row as Contract);
    return { companyId, contract };
  };

  test('reads as if it had no hosts for webhooks, and as if nothing were known of consent', async () => {
    const { companyId, contract } = await onboardLongAgo();
    expect(await findContract(world.store, companyId)).toEqual(contract);
  });

  test('can be changed', async () => {
    const { companyId, contract } = await onboardLongAgo();
    const { outcome } = await changeContract(world.store, operatorActOn(companyId), contract, later);
    expect([outcome, await findContract(world.store, companyId)]).toEqual(['changed', { ...contract, ...later }]);
  });

  test.each(Object.entries(later))('is in conflict with another’s change of %s', async (name, value) => {
    const { companyId, contract } = await onboardLongAgo();
    const current = { ...contract, [name]: value };
    const overtaken = overtakenBy(world.store, () => putContract(world.store, current));
    expect(await changeContract(overtaken, operatorActOn(companyId), contract, { name: 'Changed here' })).toEqual({
      outcome: 'conflict',
      current,
    });
  });
});
