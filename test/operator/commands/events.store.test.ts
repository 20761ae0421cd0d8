import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { findHead, segmentKey } from '../../../lambdas/data/feed/feed-items.ts';
import { readNewestEvents } from '../../../operator/companies/newest-events.ts';
import { call } from '../../support/call.ts';
import { companyEvent, companyEvents, notesOf } from '../../support/feed.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { consistencyOf, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'ticket 8'];

describe('events list', () => {
  test('shows the newest events first, and why each is withheld from the company', async () => {
    const { companyId, contract } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs);
    const change = { type: 'circuit.changed', userId: contract.userId } as const;
    await appendEvents(
      world.store,
      companyId,
      [
        companyEvent(1),
        companyEvent(2, { ...change, gatewayId: 'gw-1' }),
        companyEvent(3, { ...change, gatewayId: 'gw-1', atMs: startMs - 1 }),
        companyEvent(4, { ...change, gatewayId: 'gw-2' }),
      ],
      startMs,
    );
    const { exit, output } = await operateForJson(['events', 'list', companyId], world);
    const shown = output.events.map((event: Record<string, unknown>) => [event.seq, event.withheldBecause]);
    expect([exit, shown]).toEqual([
      'ok',
      [
        [4, 'gateway-not-granted'],
        [3, 'before-contract'],
        [2, null],
        [1, null],
      ],
    ]);
  });

  test('reads strongly consistently, as does renew', async () => {
    const { companyId } = await onboard(world.store);
    const { store } = world;
    await appendEvents(store, companyId, companyEvents(1), startMs);
    const reads = () => Promise.all([readNewestEvents(store, companyId, 1), findHead(store, companyId)]);
    expect(await consistencyOf(reads)).toEqual([true, true]);
  });

  test('shows as many as requested, across segments, and reports an empty feed', async () => {
    const { companyId } = await onboard(world.store);
    expect((await operate(['events', 'list', companyId], world)).stdout).toContain('no events');
    for (const first of [1, 4, 7]) await appendEvents(world.store, companyId, companyEvents(3, first), startMs);
    const { output } = await operateForJson(['events', 'list', companyId, '--limit', '5'], world);
    expect(output.events.map(({ seq }: { seq: number }) => seq)).toEqual([9, 8, 7, 6, 5]);
    expect((await operate(['events', 'list', companyId, '--limit', '101'], world)).exit).toBe('usage');
    expect((await operate(['events', 'list', 'nobody'], world)).exit).toBe('not-found');
  });
});

describe('events renew', () => {
  test('of two concurrent runs, one gets a conflict', async () => {
    const { companyId } = await onboard(world.store);
    await appendEvents(world.store, companyId, companyEvents(1), startMs);
    const renew = (store: typeof world.store) =>
      operate(['events', 'renew', companyId, ...because, '--yes'], { ...world, store });
    const { exit } = await renew(overtakenBy(world.store, () => renew(world.store)));
    expect(exit).toBe('conflict');
  });

  test('expires the cursors of the company, with an audit row, and skips a gap in its feed', async () => {
    const { companyId, key } = await onboard(world.store);
    for (const first of [1, 3, 5]) await appendEvents(world.store, companyId, companyEvents(2, first), startMs);
    const Key = segmentKey(companyId, 4);
    await world.store.send(new DeleteCommand({ TableName: world.store.tableName('Events'), Key }));
    let minute = 0;
    const read = (after?: string) => {
      const query = after === undefined ? {} : { after: [after] };
      return call('listEvents', { apiKey: key.apiKey, query, nowMs: startMs + minute++ * 60_000 });
    };
    const { nextCursor } = (await read('latest')).body;
    const renew = (...own: string[]) => operateForJson(['events', 'renew', companyId, ...own], world);
    expect((await renew(...because, '--dry-run')).output.outcome).toBe('would-change');
    expect((await read(nextCursor)).status).toBe(200);
    expect((await renew(...because, '--yes')).output.outcome).toBe('changed');
    const expired = await read(nextCursor);
    expect(expired.body.code).toBe('cursor-expired');
    for (const start of [undefined, expired.body.oldestCursor])
      expect((await read(start)).body).toMatchObject({ items: [], hasMore: false });
    expect(await readAudit(world.store, companyId)).toContainEqual(
      expect.objectContaining({ operation: 'events renew', reason: because[1] }),
    );
    await appendEvents(world.store, companyId, companyEvents(1, 7), startMs);
    for (const start of [undefined, expired.body.oldestCursor])
      expect(notesOf((await read(start)).body.items)).toEqual([7]);
    const { output } = await operateForJson(['events', 'list', companyId], world);
    expect(output.events.map(({ seq }: { seq: number }) => seq)).toEqual([7, 6, 5, 2, 1]);
  });

  test('changes nothing if no cursor was issued yet', async () => {
    const { companyId } = await onboard(world.store);
    const { output } = await operateForJson(['events', 'renew', companyId, ...because, '--yes'], world);
    expect(output.outcome).toBe('unchanged');
  });
});
