import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { readHome } from '../../../lambdas/data/appliances/home.ts';
import { openHome, putProgram, readPartByPart } from '../../support/home.ts';
import { consistencyOf } from '../../support/store.ts';
import { consumedUnits } from '../../support/units.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const whole = 'circuits,timePrograms';

describe('one answer', () => {
  test.each([whole, 'timePrograms', 'timePrograms,circuits'])(
    'with include=%s: each part equals the answer of its own operation in the same second',
    async (include) => {
      const { ask } = await openHome();
      await ask('updateHeatingCircuit', { body: { roomSetpointCelsius: 19.5 } });
      await ask('updateDhwTimeProgram', {}, { circuitId: 'c2', timeProgramId: '2' });
      const { body } = await ask('getGateway', { query: { include: [include] } });
      expect(body).toEqual({ ...(await readPartByPart(ask)), nextCursor: null });
      expect(body.heatingCircuits[0]).toMatchObject({ circuitId: 'c1', roomSetpointCelsius: 19.5, state: 'pending' });
      expect(body.dhwCircuits[1].timePrograms[1]).toMatchObject({ timeProgramId: '2', state: 'pending' });
    },
  );

  test('with only circuits has no time programs, and does not read them', async () => {
    const { ask } = await openHome();
    const { heatingCircuits, dhwCircuits, ...gateway } = await readPartByPart(ask);
    world.proxy.begin();
    const { body } = await ask('getGateway', { nowMs: startMs + 60_000, query: { include: ['circuits'] } });
    const queries = world.proxy.exchanges.filter(({ action }) => action === 'Query');
    expect(queries.map(({ input }) => input.ExpressionAttributeValues[':prefix'])).toEqual([{ S: 'CIRCUIT#' }]);
    const withoutPrograms = ({ timePrograms, ...circuit }: { timePrograms: unknown }) => circuit;
    expect(body).toEqual({
      ...gateway,
      heatingCircuits: heatingCircuits.map(withoutPrograms),
      dhwCircuits: dhwCircuits.map(withoutPrograms),
      nextCursor: null,
    });
  });

  test('neither shows nor reads other rows of the gateway’s partition, whatever their names', async () => {
    const { gatewayId, ask } = await openHome();
    const readHomeAt = async (minute: number) => {
      world.proxy.begin();
      const { body } = await ask('getGateway', { nowMs: startMs + minute * 60_000, query: { include: [whole] } });
      const units = consumedUnits(world.proxy.exchanges).reduce((sum, { readUnits }) => sum + readUnits, 0);
      return { body, units };
    };
    await readHomeAt(1);
    const before = await readHomeAt(2);
    const others = ['CIRCUITS', 'ENERGY#2026-10', 'ENERGY#2026-11', 'HOLIDAY', 'PROGRAM', 'PROGRAMS#heating#c1#1', 'Z'];
    for (const sk of others)
      await world.store.send(
        new PutCommand({
          TableName: world.store.tableName('Appliances'),
          Item: { gatewayId, sk, days: 'x'.repeat(100_000) },
        }),
      );
    expect(await readHomeAt(3)).toEqual(before);
  });

  test('reads everything with strong consistency', async () => {
    const { gatewayId } = await openHome();
    for (let program = 0; program < 30; program++)
      await putProgram({ gatewayId, family: 'dhw', circuitId: 'c1' }, `more${program}`, []);
    const read = () => readHome(world.store, gatewayId, { withTimePrograms: true, roomBehind: () => 100 });
    expect(await consistencyOf(read)).toEqual([true, true, true]);
  });

  test('leaves out a time program whose circuit does not exist', async () => {
    const { gatewayId, ask } = await openHome();
    await putProgram({ gatewayId, family: 'dhw', circuitId: 'gone' }, '1', []);
    const { body } = await ask('getGateway', { query: { include: [whole] } });
    expect(body.dhwCircuits.map(({ circuitId }: { circuitId: string }) => circuitId)).toEqual(['c1', 'c2']);
    expect(JSON.stringify(body)).not.toContain('gone');
  });
});

describe('a query is refused and named', () => {
  test.each(['', 'all', 'circuits,circuits', 'circuits, timePrograms', 'Circuits', 'timePrograms,', 'energy'])(
    'include=%s',
    async (include) => {
      const { ask } = await openHome();
      const { status, body } = await ask('getGateway', { query: { include: [include] } });
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { pointer: '/query/include', detail: 'Expected circuits, timePrograms or both, with a comma between them.' },
      ]);
    },
  );

  test('a cursor of another home', async () => {
    const [{ ask }, other] = [await openHome(), await openHome()];
    for (let program = 0; program < 100; program++)
      await putProgram({ gatewayId: other.gatewayId, family: 'dhw', circuitId: 'a' }, `${program}`, []);
    const { nextCursor } = (await other.ask('getGateway', { query: { include: [whole] } })).body;
    const query = { include: [whole], cursor: [nextCursor] };
    expect((await ask('getGateway', { query })).body.errors).toEqual([
      { pointer: '/query/cursor', detail: expect.any(String) },
    ]);
    expect((await other.ask('getGateway', { query })).status).toBe(200);
  });
});
