import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { readShadows } from '../../../lambdas/data/appliances/appliances.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { findHead } from '../../../lambdas/data/feed/feed-items.ts';
import { fulfilChanges } from '../../support/appliance.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { companyEvents } from '../../support/feed.ts';
import { reportGateway } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
// Take-overs are numbered per stage, and request the changes of all gateways again.
beforeEach(() => world.takeNewTables('Appliances', 'AuditLog'));

const takeOver = ['region', 'take-over'];
const because = ['--reason', 'ticket 8'];
const config = { ...loadStageConfig('local'), takeovers: 1 };

/** A company with a feed, and a gateway with an open change. */
const prepare = async () => {
  const { companyId } = await onboard(world.store);
  await appendEvents(world.store, companyId, companyEvents(1), startMs);
  const gatewayId = `gw-${randomUUID()}`;
  await reportGateway(world.store, gatewayId);
  return {
    epoch: async () => (await findHead(world.store, companyId))?.epoch,
    versions: async () => (await listOpenChanges(world.store, gatewayId)).map(({ version }) => version),
    audit: () => readAudit(world.store, companyId),
  };
};

describe('region take-over', () => {
  test('expires cursors and requests open changes again with higher versions; a repeat requests none', async () => {
    const scene = await prepare();
    const [epoch, versions] = [await scene.epoch(), await scene.versions()];
    expect(versions.length).toBeGreaterThan(0);

    const planned = await operateForJson([...takeOver, '--dry-run'], { ...world, config });
    expect([planned.output.outcome, await scene.epoch(), await scene.versions()]).toEqual([
      'would-change',
      epoch,
      versions,
    ]);

    const { exit, output } = await operateForJson([...takeOver, ...because], { ...world, config });
    expect([exit, output.outcome]).toEqual(['ok', 'changed']);
    expect(await scene.epoch()).not.toBe(epoch);
    expect(await scene.versions()).toEqual(versions.map(() => 1_000_001));
    expect(await scene.audit()).toContainEqual(
      expect.objectContaining({ operation: 'region take-over', reason: 'ticket 8' }),
    );

    const again = await operateForJson([...takeOver, ...because], { ...world, config });
    expect([again.output.changes, await scene.versions()]).toEqual([0, versions.map(() => 1_000_001)]);
  });

  test('skips changes that are applied or replaced concurrently, and requests the rest again', async () => {
    const equip = () => equipCompany(world.store);
    const change = (company: EquippedCompany, nowMs = startMs) =>
      call('updateHeatingCircuit', { ...goodCall('updateHeatingCircuit', company), nowMs });
    const newestVersionOf = async ({ gatewayId }: EquippedCompany) =>
      Math.max(...(await readShadows(world.store, gatewayId)).map(({ version }) => version));
    const [fulfilled, changed, open] = [await equip(), await equip(), await equip()] as const;
    for (const company of [fulfilled, changed, open]) await change(company);
    const before = await newestVersionOf(open);
    const meanwhile = async () => {
      await fulfilChanges(world.store, fulfilled.gatewayId, startMs + 1000);
      await change(changed, startMs + 60_000);
    };
    // The first transaction writes the audit row of the take-over.
    const store = overtakenBy(world.store, meanwhile, 2);
    expect((await operate([...takeOver, ...because], { ...world, store, config })).exit).toBe('ok');
    expect(await newestVersionOf(fulfilled)).toBe(before);
    expect(await newestVersionOf(changed)).toBe(before + 1);
    expect(await newestVersionOf(open)).toBe(1_000_001);
  });

  test('is refused on a standby, like every change, and without "takeovers" in the configuration', async () => {
    const standby = await operate([...takeOver, ...because], { ...world, config: { ...config, isStandby: true } });
    expect([standby.exit, standby.stderr]).toEqual(['refused', expect.stringContaining('set isStandby to false')]);
    const suspend = ['company', 'suspend', 'acme', ...because];
    expect((await operate(suspend, { ...world, config: { ...config, isStandby: true } })).exit).toBe('refused');
    const uncounted = await operate([...takeOver, ...because], { ...world, config: loadStageConfig('local') });
    expect([uncounted.exit, uncounted.stderr]).toEqual(['refused', expect.stringContaining('set "takeovers"')]);
  });

  test('refuses the number of another region or an earlier one, and accepts the next one', async () => {
    const other = { connection: { stackName: 'PartnerApi-other' } };
    const at = (takeovers: number, more: object = {}) =>
      operate([...takeOver, ...because], { ...world, ...more, config: { ...config, takeovers } });
    expect((await at(5)).exit).toBe('ok');
    const same = await at(5, other);
    expect([same.exit, same.stderr]).toEqual([
      'refused',
      expect.stringContaining('PartnerApi-local has made take-over 5: set "takeovers"'),
    ]);
    expect((await at(6, other)).exit).toBe('ok');
    expect((await at(5)).exit).toBe('refused');
  });
});
