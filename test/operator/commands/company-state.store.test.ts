import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { findCompany, putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { call } from '../../support/call.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'invoice 17 unpaid'];

describe('suspension', () => {
  test('applies from the next request, is audited with operator and reason, and ends as quickly', async () => {
    const { companyId, key } = await onboard(world.store);
    const statusOf = async () => (await call('getContract', { apiKey: key.apiKey })).status;
    const suspend = (...own: string[]) =>
      operateForJson(['company', 'suspend', companyId, ...because, ...own], { ...world, operator: 'arn:me' });
    const dry = (await suspend('--dry-run')).output;
    expect(dry).toMatchObject({ outcome: 'would-change', differences: [{ before: 'active', after: 'suspended' }] });
    expect(await statusOf()).toBe(200);
    expect((await suspend()).output).toMatchObject({ companyId, outcome: 'changed' });
    expect((await call('getContract', { apiKey: key.apiKey })).body.code).toBe('company-suspended');
    expect(await suspend()).toMatchObject({ exit: 'ok', output: { outcome: 'unchanged' } });
    const rows = (await readAudit(world.store, companyId)).filter(({ operator }) => operator === 'arn:me');
    expect(rows).toMatchObject([
      {
        operation: 'company suspend',
        reason: 'invoice 17 unpaid',
        actorKeyId: null,
        before: { state: 'active' },
        after: { state: 'suspended' },
      },
    ]);
    await operate(['company', 'resume', companyId, ...because], world);
    expect(await statusOf()).toBe(200);
  });
});

test('set changes the name of a company, and changes nothing if the name is the same', async () => {
  const { companyId } = await onboard(world.store);
  const set = () => operateForJson(['company', 'set', companyId, '--name', 'Another', ...because], world);
  expect((await set()).output).toMatchObject({ outcome: 'changed', differences: [{ what: 'name', after: 'Another' }] });
  expect((await findCompany(world.store, companyId))?.name).toBe('Another');
  expect((await set()).output.outcome).toBe('unchanged');
});

test('of two operators who change one company concurrently, one gets the other’s change as error', async () => {
  const { companyId } = await onboard(world.store);
  const racing = overtakenBy(world.store, () =>
    operate(['company', 'suspend', companyId, '--reason', 'first'], {
      ...world,
      operator: 'local:first',
      nowMs: startMs + 1,
    }),
  );
  const { exit, stderr } = await operate(['company', 'suspend', companyId, '--reason', 'second'], { store: racing });
  expect(exit).toBe('conflict');
  expect(stderr).toContain('company suspend by local:first');
  expect((await findCompany(world.store, companyId))?.state).toBe('suspended');
});

test('the list has the companies of the tables and those only in the configuration', async () => {
  const { companyId } = await onboard(world.store, { keys: 2 });
  const { output } = await operateForJson(['company', 'list'], world);
  expect(output.companies).toContainEqual({
    companyId,
    name: 'A company',
    state: 'active',
    isRegistered: false,
    validKeys: 2,
    lastKeyExpiresAt: '2036-09-10T12:00:00Z',
  });
  expect(output.companies.at(-1)).toMatchObject({ companyId: 'fleet', state: 'not-onboarded' });
  const { stdout } = await operate(['company', 'list'], { ...world, nowMs: startMs });
  expect(stdout).toMatch(new RegExp(`${companyId} +A company +active +no +2 +184`));
});

test('with registrations in the store, the list shows companies with an address as registered', async () => {
  const [here, gone] = [await onboard(world.store), await onboard(world.store)];
  const company = await findCompany(world.store, gone.companyId);
  if (!company) throw new Error(`${gone.companyId} is not there`);
  await putCompany(world.store, { ...company, allowedCidrs: [] });
  const config = { ...loadStageConfig('local'), registrations: 'store' as const, companies: [] };
  const { output } = await operateForJson(['company', 'list'], { ...world, config });
  const registered = Object.fromEntries(
    output.companies.map((each: { companyId: string; isRegistered: boolean }) => [each.companyId, each.isRegistered]),
  );
  expect([registered[here.companyId], registered[gone.companyId]]).toEqual([true, false]);
});
