import { expect, test } from 'vitest';
import type { Company } from '../../../config/company.ts';
import { loadStageConfig } from '../../../config/load.ts';
import { readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { readEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { readGranters } from '../../../lambdas/data/contracts/grants.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import { limitsOf } from '../../../lambdas/domain/circuit-limits.ts';
import { isFleet, prepareDemoWorld } from '../../../local/demo/demo-world.ts';
import { fleetAppliances, fleetOwners, installFleet, signFleet } from '../../../local/demo/fleet.ts';
import { openWorld, startMs } from '../../support/world.ts';

test('each fleet gateway is granted by its own owner, even if contracts are written before appliances', async () => {
  const { store } = await openWorld();
  await signFleet(store, 'fleet', 3, startMs);
  await installFleet(store, startMs);

  for (const { userId, gateways } of fleetOwners.slice(0, 2))
    for (const { gatewayId } of gateways)
      expect(await readGranters(store, gatewayId)).toEqual(new Map([['fleet', userId]]));
});

test('a company of the configuration that names no owner gets no fleet but its own onboarding', async () => {
  const { store } = await openWorld();
  const [fleet] = loadStageConfig('local').companies.filter(isFleet) as [Company];
  const volt = { ...fleet, companyId: 'volt', name: 'Volt' };
  const config = { ...loadStageConfig('local'), companies: [fleet, volt] };
  const { companies } = await prepareDemoWorld(store, config, { companies: [], appliances: [] });
  expect(companies.map(({ companyId }) => companyId)).toEqual(['fleet']);
  expect(await findCompany(store, 'volt')).toBeUndefined();
});

test('the fleet includes the eventful home with its name, its limits and its defrost days', async () => {
  const { store } = await openWorld();
  const states = await installFleet(store, startMs);
  expect(states.map(({ gatewayId }) => gatewayId).toSorted()).toEqual(
    fleetAppliances.map(({ gatewayId }) => gatewayId).toSorted(),
  );
  const [gateway] = await readGateways(store, ['gw-5042']);
  expect(gateway).toMatchObject({ name: 'בית על הים', connectivity: 'online', timeZone: 'Etc/UTC' });
  const [hc1, hc2, dhw1] = [
    limitsOf(gateway as Gateway, 'heating', 'hc1'),
    limitsOf(gateway as Gateway, 'heating', 'hc2'),
    limitsOf(gateway as Gateway, 'dhw', 'dhw1'),
  ];
  expect([hc1.roomSetpointCelsius.step, hc2.roomSetpointCelsius.minimum, dhw1.waterSetpointCelsius.maximum]).toEqual([
    1, 3, 70,
  ]);
  const days = await readEnergy(store, 'gw-5042', { from: '2036-02-28', to: '2036-03-09' });
  expect(days.filter(({ heating }) => (heating.heatKwh ?? 0) < 0)).toHaveLength(1);
});
