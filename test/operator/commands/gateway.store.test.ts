import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAuditLog } from '../../../lambdas/data/audit.ts';
import { putContract, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { maxGrantsAtOnce } from '../../../lambdas/data/contracts/grants.ts';
import { consentGivenAt } from '../../../lambdas/domain/consent.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { call } from '../../support/call.ts';
import { proven } from '../../support/campaign.ts';
import { operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { gatewaysOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A change at exactly the same time as an earlier one does not apply. */
const aSecondLater = () => ({ ...world, nowMs: startMs + 1000 });

const because = ['--reason', 'ticket 9'];
const rowsOf = async (companyId: string) =>
  (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

describe('grant and revoke', () => {
  test('apply to the next request, and are in the audit log by gateway', async () => {
    const { companyId, key, contract } = await onboard(world.store);
    const gatewayId = `gw-of-${companyId}`;
    const ask = async () =>
      (
        await call('getGateway', {
          apiKey: key.apiKey,
          pathParameters: { gatewayId },
          headers: { 'x-user-id': [contract.userId] },
        })
      ).body.code;
    await operate(['gateway', 'grant', companyId, gatewayId, 'gw-2', ...because], world);
    expect(await ask()).not.toBe('gateway-not-in-contract');
    expect(await gatewaysOf(world.store, companyId)).toEqual(['gw-2', gatewayId]);
    await operate(['gateway', 'revoke', companyId, gatewayId, ...because], aSecondLater());
    expect(await ask()).toBe('gateway-not-in-contract');
    const { rows } = await readAuditLog(world.store, { by: 'gateway', id: gatewayId }, 10);
    expect(rows.map(({ operation }) => operation).toSorted()).toEqual(['gateway grant', 'gateway revoke']);
    expect(rows[0]).toMatchObject({ userId: contract.userId, reason: 'ticket 9', operator: 'local:tester' });
  });

  test('skip gateways that are already in that state', async () => {
    const { companyId } = await onboard(world.store);
    await operate(['gateway', 'grant', companyId, 'gw-1', ...because], world);
    const { output } = await operateForJson(['gateway', 'grant', companyId, 'gw-1', 'gw-2', 'gw-2', ...because], world);
    expect(output.differences).toEqual([{ what: 'gateway gw-2', before: null, after: 'granted' }]);
    expect((await rowsOf(companyId)).length).toBe(2);
    const again = await operateForJson(['gateway', 'grant', companyId, 'gw-1', ...because], aSecondLater());
    expect([again.exit, again.output.outcome]).toEqual(['ok', 'unchanged']);
  });

  describe('move', () => {
    const twoOwners = async (gatewayIds: readonly string[]) => {
      const { companyId, contract, key } = await onboard(world.store);
      const other = { ...unopenedContract({ companyId, userId: 'other' }), state: 'active', sinceMs: startMs } as const;
      await putContract(world.store, { ...other, ...consentGivenAt(contract.acceptedConsentVersion ?? 0, startMs) });
      await operate(['gateway', 'grant', companyId, ...gatewayIds, '--user', contract.userId, ...because], world);
      const move = (ids: readonly string[], options: Partial<typeof world> = {}) =>
        operateForJson(['gateway', 'move', companyId, ...ids, '--from', contract.userId, '--to', 'other', ...because], {
          ...aSecondLater(),
          ...options,
        });
      const ask = async (userId: string, gatewayId: string) =>
        (
          await call('getGateway', {
            apiKey: key.apiKey,
            pathParameters: { gatewayId },
            headers: { 'x-user-id': [userId] },
          })
        ).body.code;
      return { companyId, former: contract.userId, move, ask };
    };

    test('moves a gateway to another owner from the next request on; a repeat changes nothing', async () => {
      const gatewayId = `gw-${randomUUID().slice(0, 8)}`;
      const { companyId, former, move, ask } = await twoOwners([gatewayId]);
      const { output } = await move([gatewayId]);
      expect(output.differences).toEqual([{ what: `gateway ${gatewayId}`, before: former, after: 'other' }]);
      expect(await ask(former, gatewayId)).toBe('gateway-not-in-contract');
      expect(await ask('other', gatewayId)).not.toBe('gateway-not-in-contract');
      expect((await move([gatewayId])).output.outcome).toBe('unchanged');
      const [last] = (await rowsOf(companyId)).toReversed();
      expect(last).toMatchObject({ operation: 'gateway move', userId: 'other', gatewayId });
    });

    test('grant takes gateways from another owner too, and shows from whom', async () => {
      const { companyId, former, ask } = await twoOwners(['gw-1']);
      const grant = ['gateway', 'grant', companyId, 'gw-1', 'gw-2', '--user', 'other', ...because];
      const { output } = await operateForJson(grant, aSecondLater());
      expect(output.differences).toEqual([
        { what: 'gateway gw-1', before: `granted by ${former}`, after: 'granted' },
        { what: 'gateway gw-2', before: null, after: 'granted' },
      ]);
      expect(await ask(former, 'gw-1')).toBe('gateway-not-in-contract');
    });

    test('moves nothing if one of the gateways belongs to another owner', async () => {
      const { companyId, former, move } = await twoOwners(['gw-1']);
      const { exit, stderr } = await move(['gw-1', 'gw-2']);
      expect([exit, stderr]).toEqual(['not-found', expect.stringContaining(`of ${former} does not cover gw-2`)]);
      expect(await gatewaysOf(world.store, companyId)).toEqual(['gw-1']);
    });

    test('does not move a gateway that is revoked concurrently', async () => {
      const { companyId, former, move } = await twoOwners(['gw-1', 'gw-2']);
      const act = operatorActOn(companyId, startMs + 500);
      const overtaken = overtakenBy(world.store, () =>
        setGrants(world.store, act, { userId: former, gatewayIds: ['gw-1'], isGranted: false }),
      );
      const { exit, stderr } = await move(['gw-1', 'gw-2'], { store: overtaken });
      expect([exit, stderr]).toEqual(['conflict', expect.stringContaining('Another caller changed gw-1')]);
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });
  });

  test('of the same gateways by several operators at once: each is changed and audited once', proven, async () => {
    const { companyId } = await onboard(world.store);
    const gatewayIds = Array.from({ length: 120 }, (_, index) => `gw-${index}`);
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => operate(['gateway', 'grant', companyId, ...gatewayIds, ...because], world)),
    );
    expect(runs.map(({ exit }) => exit)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect((await gatewaysOf(world.store, companyId)).length).toBe(120);
    expect((await rowsOf(companyId)).length).toBe(120);
    await operate(['gateway', 'revoke', companyId, '--all', ...because], aSecondLater());
    expect(await gatewaysOf(world.store, companyId)).toEqual([]);
  });

  test.each([
    [['gateway', 'grant', 'acme', 'gw 1'], 'usage'],
    [['gateway', 'revoke', 'acme'], 'usage'],
    [['gateway', 'revoke', 'acme', 'gw-1', '--all'], 'usage'],
    [['gateway', 'grant', 'nobody', 'gw-1'], 'not-found'],
    [['gateway', 'import', 'nobody', import.meta.filename], 'not-found'],
    [['gateway', 'import', 'acme', 'nowhere.csv'], 'not-found'],
    [['gateway', 'import', 'acme', import.meta.dirname], 'not-found'],
  ])('%j is refused', async (commandLine, expected) => {
    expect((await operate([...commandLine, ...because], world)).exit).toBe(expected);
  });
});

describe('import', () => {
  const importFile = (content: string) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'gateways.csv'), content);
    return { ...world, directory };
  };

  test.each([
    ['with header and Windows line ends', 'gatewayId\r\ngw-1\r\ngw-2\r\n'],
    ['with a byte order mark, quotes and no last line end', '\uFEFFgatewayId\n"gw-1"\n\n  gw-2'],
    ['without header, with repetitions', 'gw-1\ngw-2\ngw-1\n'],
    ['with a separator, a header in another spelling, and empty cells', 'sep=;\n\nGateway_ID;\ngw-1;\ngw-2;\n'],
  ])('%s', async (_, content) => {
    const { companyId } = await onboard(world.store);
    const importIt = (...own: string[]) =>
      operateForJson(['gateway', 'import', companyId, 'gateways.csv', ...because, ...own], importFile(content));
    const counts = { companyId, owners: 1, opened: 0, granted: 2, grantedBefore: 0, refused: [] };
    expect((await importIt('--dry-run')).output).toEqual({ ...counts, outcome: 'would-change' });
    expect(await importIt()).toMatchObject({ exit: 'ok', output: { ...counts, outcome: 'changed' } });
    expect(await gatewaysOf(world.store, companyId)).toEqual(['gw-1', 'gw-2']);
  });

  test('grants valid lines, and reports line and reason of the others, not their content', async () => {
    const { companyId, key } = await onboard(world.store);
    const content = `gw-1\n${key.apiKey}\ngw-2,Main Street\ngw-4\ngw 3\n`;
    const { exit, output, stdout, stderr } = await operateForJson(
      ['gateway', 'import', companyId, 'gateways.csv', ...because],
      importFile(content),
    );
    expect(exit).toBe('refused');
    expect(output.granted).toBe(2);
    expect(output.refused.map(({ line }: { line: number }) => line)).toEqual([2, 3, 5]);
    expect(stdout + stderr).not.toContain('xHCSAPI_');
  });

  test(
    'continues after an interruption between batches; each gateway is granted and audited once',
    proven,
    async () => {
      const { companyId } = await onboard(world.store);
      const options = importFile(Array.from({ length: 400 }, (_, index) => `gw-${index}`).join('\n'));
      const commandLine = ['gateway', 'import', companyId, 'gateways.csv', ...because];
      const store = overtakenBy(world.store, () => Promise.reject(new Error('killed')), 4);
      expect((await operate(commandLine, { ...options, store })).exit).toBe('error');
      expect((await gatewaysOf(world.store, companyId)).length).toBe(3 * maxGrantsAtOnce);
      const { exit, output } = await operateForJson(commandLine, options);
      expect([exit, output.granted, output.grantedBefore]).toEqual([
        'ok',
        400 - 3 * maxGrantsAtOnce,
        3 * maxGrantsAtOnce,
      ]);
      expect((await rowsOf(companyId)).length).toBe(400);
      expect((await operateForJson(commandLine, options)).output.outcome).toBe('unchanged');
    },
  );

  test('shows its progress only on a terminal', async () => {
    const { companyId } = await onboard(world.store);
    const options = importFile(Array.from({ length: 100 }, (_, index) => `gw-${index}`).join('\n'));
    const commandLine = ['gateway', 'import', companyId, 'gateways.csv', ...because];
    const { stderr } = await operate(commandLine, { ...options, isTerminal: true });
    expect(stderr).toMatch(new RegExp(`\\[#{5,20}\\.+\\] ${maxGrantsAtOnce} granted`));
    expect(stderr).toContain(`[${'#'.repeat(30)}] 100 granted`);
    expect((await operate(commandLine, options)).stderr).toBe('');
  });
});
