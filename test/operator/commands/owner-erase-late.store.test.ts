import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import {
  erasureParties,
  findContract,
  putContract,
  unopenedContract,
} from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { readStored } from '../../support/appliance.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minute = 60_000;
let owners = 0;
let userId: string;
let companyId: string;
beforeEach(async () => {
  userId = `late-${owners++}`;
  // The company has a contract with another owner.
  companyId = (await onboard(world.store)).companyId;
});

const erase = (nowMs = startMs, store: Store = world.store) =>
  operateForJson(['owner', 'erase', userId, '--yes', '--reason', 'asked'], { store, nowMs });

type Decision = { readonly afterMs: number; readonly store?: Store };

const act = (afterMs: number) => ({ ...operatorActOn(companyId, startMs + afterMs), userId });

const grant = ({ afterMs, store = world.store }: Decision, isGranted = true) =>
  applyGrant(store, act(afterMs), { gatewayId: `gw-${userId}`, isGranted, userId });

/** Decisions from the portal, made at a time relative to the erasure. */
const decisions: Readonly<Record<string, (decision: Decision) => Promise<{ outcome: string }>>> = {
  opening: ({ afterMs, store = world.store }) => openContract(store, act(afterMs), { userId }),
  end: ({ afterMs, store = world.store }) => endContract(store, act(afterMs), { userId }),
  acceptance: ({ afterMs, store = world.store }) =>
    acceptConsent(store, act(afterMs), { userId, consentVersion: 3, requiredVersion: 3 }),
  withdrawal: ({ afterMs, store = world.store }) => withdrawConsent(store, act(afterMs), { userId }),
  grant,
  revocation: (decision) => grant(decision, false),
};

const contractOf = () => findContract(world.store, { companyId, userId });

const isUntouched = async () => {
  expect(await contractOf()).toBeUndefined();
  expect(await readStored(world.store, ownersKey(companyId, `gw-${userId}`))).toBeUndefined();
  expect(JSON.stringify(await readAudit(world.store, companyId))).not.toContain(userId);
};

describe('at a company that has no contract with the owner', () => {
  test.each(Object.entries(decisions))('the %s from before the erasure changes nothing', async (_, decide) => {
    await erase();
    for (const afterMs of [-90 * 86_400_000, -1, 0, minute])
      expect(await decide({ afterMs })).toEqual({ outcome: 'stale' });
    await isUntouched();
  });

  test.each(Object.entries(decisions))(
    'the %s from before the erasure is stale before and after the company is onboarded',
    async (_, decide) => {
      companyId = `new${userId.replace('-', '')}`;
      await erase();
      expect(await decide({ afterMs: -1 })).toEqual({ outcome: 'stale' });
      await putCompany(world.store, { ...(await onboard(world.store)).company, companyId });
      expect(await decide({ afterMs: -1 })).toEqual({ outcome: 'stale' });
      await isUntouched();
    },
  );

  test.each(Object.entries(decisions))('the %s during the erasure changes nothing', async (_, decide) => {
    const store = overtakenBy(world.store, () => erase());
    expect(await decide({ afterMs: -1, store })).toEqual({ outcome: 'stale' });
    await isUntouched();
  });

  test.each(['opening', 'acceptance', 'grant'])(
    'the %s from after the erasure applies, and earlier ones do not',
    async (name) => {
      await erase();
      expect((await decisions[name]?.({ afterMs: minute + 1 }))?.outcome).toBe('applied');
      const begun = await contractOf();
      expect(begun).toMatchObject({ erasedAtMs: startMs, removeAt: null });
      for (const decide of Object.values(decisions))
        expect(await decide({ afterMs: -1 })).toEqual({ outcome: 'stale' });
      expect(await contractOf()).toEqual(begun);
    },
  );
});

test('an operator opens a contract with an erased owner; only a concurrent erasure prevents it', async () => {
  const nowMs = startMs + minute;
  const open = (store = world.store) =>
    operate(['contract', 'open', companyId, '--user', userId, '--reason', 'back'], { store, nowMs });
  expect((await open(overtakenBy(world.store, () => erase()))).exit).toBe('conflict');
  await isUntouched();
  expect((await open()).exit).toBe('ok');
  const opened = await contractOf();
  expect(opened).toMatchObject({ state: 'active', erasedAtMs: startMs });
  expect(await decisions.acceptance?.({ afterMs: -1 })).toEqual({ outcome: 'stale' });
  expect(await decisions.acceptance?.({ afterMs: 2 * minute })).toEqual({ outcome: 'applied' });
});

describe('the time of an erasure', () => {
  const erasedAt = async (parties = erasureParties(userId)) => (await findContract(world.store, parties))?.erasedAtMs;
  const known = async () => {
    const other = (await onboard(world.store)).companyId;
    await putContract(world.store, { ...unopenedContract({ companyId: other, userId }), state: 'active' });
    return { companyId: other, userId };
  };

  test('is stored for an unknown owner too, and the next run has nothing to do', async () => {
    const { output, stderr } = await erase();
    expect(output).toMatchObject({ contracts: 0, changes: 0, outcome: 'changed' });
    expect(stderr).toContain('no event from before now will apply');
    expect((await erase(startMs + minute)).output).toMatchObject({ outcome: 'unchanged' });
    expect(await erasedAt()).toBe(startMs);
  });

  test('stays when another run completes the erasure', async () => {
    const parties = await known();
    await erase();
    const auditContext = {
      ...operatorActOn(parties.companyId),
      operation: 'key revoke',
      reason: `asked for by ${userId}`,
    };
    await transact(world.store, { audit: auditPut(world.store, auditContext, { keyId: 'a-key' }) });
    expect((await erase(startMs + minute)).output).toMatchObject({ contracts: 0, changes: 1, outcome: 'changed' });
    expect([await erasedAt(), await erasedAt(parties)]).toEqual([startMs, startMs]);
  });

  test('is the later one at all companies if the owner has come back to one of them', async () => {
    const parties = await known();
    await erase();
    expect((await decisions.opening?.({ afterMs: 2 * minute }))?.outcome).toBe('applied');
    await erase(startMs + 3 * minute);
    const erased = [await erasedAt(), await erasedAt(parties), await erasedAt({ companyId, userId })];
    expect(erased).toEqual(Array(3).fill(startMs + 3 * minute));
    companyId = parties.companyId;
    expect(await decisions.opening?.({ afterMs: 2 * minute })).toEqual({ outcome: 'stale' });
  });

  test('stays if a concurrent erasure is later; the earlier one fails', async () => {
    const overtaken = overtakenBy(world.store, () => erase(startMs + minute));
    expect((await erase(startMs, overtaken)).exit).toBe('conflict');
    expect(await erasedAt()).toBe(startMs + minute);
  });

  test('keeps what the owner grants during the erasure', async () => {
    // With few companies, each read of the contracts is one command.
    await world.takeNewTables('Companies', 'Contracts');
    const parties = await known();
    companyId = parties.companyId;
    const comeBack = () => openContract(world.store, act(2 * minute), { userId });
    // The fourth read of the contracts is the last one, after they have ended.
    await erase(startMs, overtakenBy(world.store, comeBack, 4, BatchGetCommand));
    expect(await contractOf()).toMatchObject({ state: 'active', erasedAtMs: startMs });
  });
});
