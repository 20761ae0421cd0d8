import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAllGrants, readGrants, setGrants } from '../../../operator/changes/gateway-grants.ts';
import { readAudit } from '../../support/audit.ts';
import { consistencyOf } from '../../support/consistent-reads.ts';
import { operatorActOn } from '../../support/operator-act.ts';
import { overtakenBy } from '../../support/overtaken.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const rowsOf = async (companyId: string) =>
  (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

describe.each([
  ['granting', true],
  ['revoking', false],
])('%s a gateway', (_, isGranted) => {
  test('when somebody else does the same at the same moment: it is done, and on record once', async () => {
    const { companyId } = await onboard(world.store);
    if (!isGranted) await setGrants(world.store, operatorActOn(companyId, startMs - 1), ['gw-1'], true);
    const act = operatorActOn(companyId);
    const before = (await rowsOf(companyId)).length;
    const overtaken = overtakenBy(world.store, () => setGrants(world.store, act, ['gw-1'], isGranted));
    expect(await setGrants(overtaken, act, ['gw-1'], isGranted)).toEqual({ outcome: 'done', changedGatewayIds: [] });
    expect(await readAllGrants(world.store, companyId)).toEqual(isGranted ? ['gw-1'] : []);
    expect((await rowsOf(companyId)).length).toBe(before + 1);
  });
});

test('a company without a contract is granted nothing, and nothing is on record', async () => {
  const companyId = `nobody${randomUUID().slice(0, 8)}`;
  expect(await setGrants(world.store, operatorActOn(companyId), ['gw-1'], true)).toEqual({
    outcome: 'contract-not-found',
  });
  expect(await readAllGrants(world.store, companyId)).toEqual([]);
  expect(await readAudit(world.store, companyId)).toEqual([]);
});

test('what is granted is read strongly consistent: a change just made is seen', async () => {
  expect(await consistencyOf(() => readGrants(world.store, 'acme', ['gw-1', 'gw-2']))).toEqual([true]);
  expect(await consistencyOf(() => readAllGrants(world.store, 'acme'))).toEqual([true]);
});
