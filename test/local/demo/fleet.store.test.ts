import { expect, test } from 'vitest';
import { readGranters } from '../../../lambdas/data/contracts/grants.ts';
import { fleetOwners, installFleet, signFleet } from '../../../local/demo/fleet.ts';
import { openWorld, startMs } from '../../support/world.ts';

test('each gateway of the fleet is granted by its own owner, also if the contracts are there before the appliances', async () => {
  const { store } = await openWorld();
  await signFleet(store, 'fleet', 3, startMs);
  await installFleet(store, startMs);

  for (const { userId, gateways } of fleetOwners.slice(0, 2))
    for (const { gatewayId } of gateways)
      expect(await readGranters(store, gatewayId)).toEqual(new Map([['fleet', userId]]));
});
