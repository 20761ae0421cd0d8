import { expect, test } from 'vitest';
import { homeOf, simulatedGatewayIds } from '../../../lambdas/sandbox/homes.ts';

test('each home of a company has a gateway and an owner, which follow from its number', () => {
  const gatewayIds = simulatedGatewayIds('acme', 10);
  expect([gatewayIds.at(0), gatewayIds.at(-1), gatewayIds.length]).toEqual(['sim-acme-1', 'sim-acme-10', 10]);
  expect(gatewayIds.map(homeOf)).toEqual(
    gatewayIds.map((gatewayId, index) => ({
      companyId: 'acme',
      userId: `sim-owner-acme-${index + 1}`,
      appliance: expect.objectContaining({ gatewayId, name: `Home ${index + 1}` }),
    })),
  );
});

test('the first home can cool, the second is old, the third has a broken sensor, and the others are ordinary', () => {
  const [cooling, old, broken, ...others] = simulatedGatewayIds('acme', 5).map((id) => homeOf(id)?.appliance);
  expect([cooling, old, broken]).toMatchObject([{ cools: true }, { isOld: true }, { openRoomSensorIn: 'hc2' }]);
  for (const appliance of others) expect(Object.keys(appliance ?? {})).toEqual(['gatewayId', 'name']);
});

test.each([
  'gw-1001',
  'sim-acme',
  'sim-acme-0',
  'sim-acme-100',
  'sim-a-1',
  `sim-${'a'.repeat(25)}-1`,
  'sim-Acme-1',
  'x-sim-acme-1',
  'sim-acme-1x',
])('%s is no gateway of a simulated home', (gatewayId) => {
  expect(homeOf(gatewayId)).toBeUndefined();
});

test.each(['sim-ab-1', `sim-${'a'.repeat(24)}-99`])('%s is one', (gatewayId) => {
  expect(homeOf(gatewayId)?.appliance.gatewayId).toBe(gatewayId);
});
