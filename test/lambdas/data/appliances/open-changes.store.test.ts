import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { listOpenChanges } from '../../../../lambdas/data/appliances/open-changes.ts';
import { openCircuitScene } from '../../../support/appliance.ts';
import { consistencyOf } from '../../../support/store.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('the open changes of a gateway tell what is desired and who asked last; other rows are none', async () => {
  const { gatewayId, key, change, report } = await openCircuitScene(world.store);
  const reverse = { gatewayId, sk: 'COMPANY#acme', desired: {}, desiredBy: {} };
  await world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item: reverse }));
  expect(await listOpenChanges(world.store, gatewayId)).toEqual([]);
  await change({ operationMode: 'off' });
  const { desiredBy } = await change({ roomSetpointCelsius: 19 }, startMs + 1);
  expect(desiredBy).toEqual({ companyId: 'acme', requestId: expect.any(String), atMs: startMs + 1 });
  expect(await listOpenChanges(world.store, gatewayId)).toEqual([
    { ...key, version: 3, desired: { operationMode: 'off', roomSetpointCelsius: 19 }, desiredBy },
  ]);
  await report({}, 2, 3);
  expect(await listOpenChanges(world.store, gatewayId)).toEqual([]);
});

test('they are read with strong consistency, on as many pages as there are', async () => {
  const { gatewayId, change } = await openCircuitScene(world.store);
  await change({ operationMode: 'off' });
  const table = world.store.tableName('Appliances');
  for (let index = 0; index < 120; index++) {
    const sk = `CIRCUIT#dhw#a${String(index).padStart(3, '0')}`;
    await world.store.send(new PutCommand({ TableName: table, Item: { gatewayId, sk, version: 1 } }));
  }
  expect(await consistencyOf(() => listOpenChanges(world.store, gatewayId))).toEqual([true, true, true]);
  expect((await listOpenChanges(world.store, gatewayId)).map(({ version }) => version)).toEqual([2]);
});
