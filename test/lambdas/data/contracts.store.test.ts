import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { changeCompany, findCompany, listCompanies, putCompany } from '../../../lambdas/data/contracts/companies.ts';
import {
  changeContract,
  contractKey,
  findContract,
  hasLeft,
  putContract,
  readContractPage,
  readContracts,
  readUnopened,
  unopenedContract,
} from '../../../lambdas/data/contracts/contracts.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { consentGivenAt, noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract, Parties } from '../../../lambdas/domain/contract.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit, setAttributes } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, putAtOnce, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test.each<[string, () => Promise<unknown>, number]>([
  ['contracts, one', () => findContract(world.store, partiesOf('acme')), 1],
  ['contracts, several', () => readContracts(world.store, ['acme', 'globex'].map(partiesOf)), 1],
  ['a company and an erasure', () => readUnopened(world.store, partiesOf('acme')), 2],
  ['companies, one', () => findCompany(world.store, 'acme'), 1],
  ['companies, all', () => listCompanies(world.store), 1],
])('%s, are read strongly consistent: a change just made is seen', async (_, read, reads) => {
  expect(await consistencyOf(read)).toEqual(Array(reads).fill(true));
});

describe('contract changes', () => {
  /** The values that a concurrent write gives to each attribute. */
  const changedMeanwhile: { readonly [name in keyof Omit<Contract, keyof Parties | 'gateways'>]: Contract[name] } = {
    state: 'ended',
    sinceMs: startMs + 1,
    stateChangedAtMs: startMs + 1,
    stateClaimedAtMs: startMs + 1,
    ...consentGivenAt(2, startMs + 1),
    erasedAtMs: startMs + 1,
    removeAt: startMs + 1,
  };

  describe('a change of a contract requires the whole contract to be as it was read', () => {
    test.each(Object.entries(changedMeanwhile))(
      'a concurrent change of %s is a conflict and stays, and the change that lost is not recorded',
      async (name, value) => {
        const { companyId, contract } = await onboard(world.store);
        const rows = await readAudit(world.store, companyId);
        const current = { ...contract, [name]: value };
        const overtaken = overtakenBy(world.store, () => putContract(world.store, current));
        const change = name === 'sinceMs' ? { acceptedAtMs: 0 } : { sinceMs: 0 };
        expect(await changeContract(overtaken, operatorActOn(companyId), contract, change)).toEqual({
          outcome: 'conflict',
          current,
        });
        expect(await findContract(world.store, partiesOf(companyId))).toEqual(current);
        expect(await readAudit(world.store, companyId)).toEqual(rows);
      },
    );
  });

  describe('a change of a company requires the whole company to be as it was read', () => {
    test.each([{ name: 'Changed' }, { state: 'suspended' }, { allowedCidrs: [] }, { webhookHosts: ['acme.test'] }])(
      'a concurrent change is a conflict and stays: %j',
      async (changed) => {
        const { companyId, company } = await onboard(world.store);
        const rows = await readAudit(world.store, companyId);
        const current = { ...company, ...changed } as Company;
        const overtaken = overtakenBy(world.store, () => putCompany(world.store, current));
        const change = 'name' in changed ? { webhookHosts: ['here.test'] } : { name: 'Changed here' };
        const outcome = await changeCompany(overtaken, operatorActOn(companyId), company, change);
        expect(outcome).toEqual({ outcome: 'conflict', current });
        expect(await findCompany(world.store, companyId)).toEqual(current);
        expect(await readAudit(world.store, companyId)).toEqual(rows);
      },
    );
  });
});

describe('the list of the contracts of a company', () => {
  /** Contracts in these states, with owners whose ids sort in this order. */
  const withContracts = async (states: readonly Contract['state'][]) => {
    const companyId = `company-${randomUUID()}`;
    const contracts = states.map((state, index) => ({
      ...unopenedContract({ companyId, userId: `owner-${String(index).padStart(3, '0')}` }),
      state,
    }));
    for (let first = 0; first < contracts.length; first += 100)
      await putAtOnce(world.store, async (collector) => {
        for (const contract of contracts.slice(first, first + 100)) await putContract(collector, contract);
      });
    return { companyId, contracts };
  };

  test.each<[string, boolean, readonly Contract['state'][], number]>([
    ['that has no contract has not left', false, [], 2],
    ['with one that is not opened has not left', false, ['unopened'], 2],
    ['with one that is active has not left', false, ['active'], 1],
    ['whose only one has ended has left', true, ['ended'], 2],
    ['of whose 251 only the last one is active has not left', false, [...Array(250).fill('ended'), 'active'], 1],
    ['whose 251 have all ended has left', true, Array(251).fill('ended'), 2],
    ['with one that has ended and one that is not opened has left', true, ['ended', 'unopened'], 2],
  ])('a company %s: %s; two keys are read at most', async (_, expected, states, reads) => {
    const { companyId } = await withContracts(states);
    world.proxy.begin();
    expect(await hasLeft(world.store, companyId)).toBe(expected);
    expect(world.proxy.exchanges.map(({ action, input }) => [action, input.Limit])).toEqual(
      Array(reads).fill(['Query', 1]),
    );
  });

  test('shows each opened contract once, in the order of the owners, whatever its state and the size of a page', async () => {
    const random = randomNumbers();
    const { companyId, contracts } = await withContracts(
      Array.from({ length: 23 }, () => (['active', 'ended', 'unopened'] as const)[below(random, 3)] ?? 'active'),
    );
    const opened = contracts.filter(({ state }) => state !== 'unopened').map(({ userId }) => userId);
    for (const limit of [1, 2, 3, 7, opened.length, 100]) {
      const shown: string[][] = [];
      for (let after: string | undefined; ; ) {
        const page = await readContractPage(world.store, companyId, limit, after);
        shown.push(page.contracts.map(({ userId }) => userId));
        expect(page.contracts.length).toBeLessThanOrEqual(limit);
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(shown.flat()).toEqual(opened);
      expect(shown).toHaveLength(Math.max(1, Math.ceil(opened.length / limit)));
    }
  });

  test('leaves out nobody if the store ends the list of one state earlier than that of the other', async () => {
    const { companyId, contracts } = await withContracts([...Array(40).fill('active'), 'ended', 'active', 'ended']);
    // The store ends a query at one megabyte.
    const grant = { grantedAtMs: startMs, receivedAtMs: startMs };
    const gateways = byIds(
      Array.from({ length: 700 }, (_, index) => [String(index).padStart(40, '0'), grant] as const),
    );
    await Promise.all(contracts.slice(0, 40).map((contract) => putContract(world.store, { ...contract, gateways })));
    const shown: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = await readContractPage(world.store, companyId, 100, next || undefined);
      shown.push(...page.contracts.map(({ userId }) => userId));
      next = page.next;
    }
    expect(shown).toEqual(contracts.map(({ userId }) => userId));
  });

  test('moves a contract to the list of its state when it ends and when it is opened again', async () => {
    const { companyId, contract } = await onboard(world.store);
    const owner = { companyId, userId: contract.userId };
    for (const [act, second, left] of [
      [endContract, 1, true],
      [openContract, 2, false],
    ] as const) {
      await act(world.store, operatorActOn(companyId, startMs + second * 1000), owner);
      expect(await hasLeft(world.store, companyId)).toBe(left);
      const { contracts } = await readContractPage(world.store, companyId, 10);
      expect(contracts.map(({ userId }) => userId)).toEqual([owner.userId]);
    }
  });
});

describe('consent', () => {
  const atSecond = (second: number) => startMs + second * 1000;

  /** A company without consent, and events of its owner at seconds after `startMs`. */
  const companyWithEvents = async (overrides: Partial<Contract> = noConsent) => {
    const { companyId, contract } = await onboard(world.store, overrides);
    const { userId } = contract;
    const accept = (second: number, consentVersion = 3, store = world.store) =>
      acceptConsent(store, operatorActOn(companyId, atSecond(second)), { userId, consentVersion, requiredVersion: 3 });
    const withdraw = (second: number, store = world.store) =>
      withdrawConsent(store, operatorActOn(companyId, atSecond(second)), { userId });
    const find = () => findContract(world.store, partiesOf(companyId));
    const records = async () => (await readAudit(world.store, companyId)).filter(({ before }) => before);
    return { companyId, contract, accept, withdraw, find, records };
  };

  const withdrawnAt = (second: number) => ({
    ...noConsent,
    consentChangedAtMs: atSecond(second),
    consentClaimedAtMs: atSecond(second),
  });

  const applied = { outcome: 'applied' };
  const stale = { outcome: 'stale' };

  test('an acceptance and a withdrawal are stored with their times, and recorded', async () => {
    const { accept, withdraw, find, records } = await companyWithEvents();
    expect(await accept(1)).toEqual(applied);
    const accepted = consentGivenAt(3, atSecond(1));
    expect(await find()).toMatchObject(accepted);
    expect(await withdraw(2)).toEqual(applied);
    const withdrawn = withdrawnAt(2);
    expect(await find()).toMatchObject(withdrawn);
    expect(await records()).toEqual([
      expect.objectContaining({ before: noConsent, after: accepted }),
      expect.objectContaining({ before: accepted, after: withdrawn }),
    ]);
  });

  test('an event of an unknown company is refused, and nothing is written', async () => {
    const parties = partiesOf(`nobody${randomUUID().slice(0, 8)}`);
    const acceptance = { userId: parties.userId, consentVersion: 3, requiredVersion: 3 };
    const act = operatorActOn(parties.companyId);
    const decisions = [acceptConsent, withdrawConsent, openContract, endContract] as const;
    for (const decide of decisions)
      expect(await decide(world.store, act, acceptance)).toEqual({ outcome: 'company-not-found' });
    expect(await findContract(world.store, parties)).toBeUndefined();
    expect(await readAudit(world.store, parties.companyId)).toEqual([]);
  });

  test('an acceptance by a clock that is ahead is withdrawn at once, and its repeat writes nothing', async () => {
    const { companyId, contract, withdraw, find, records } = await companyWithEvents();
    const { userId } = contract;
    const acceptAhead = (arrivedSecond: number) =>
      acceptConsent(
        world.store,
        { ...operatorActOn(companyId, atSecond(50)), recordedAtMs: atSecond(arrivedSecond) },
        { userId, consentVersion: 3, requiredVersion: 3, arrivedAtMs: atSecond(arrivedSecond) },
      );
    expect(await acceptAhead(0)).toEqual(applied);
    expect(await find()).toMatchObject({ acceptedAtMs: atSecond(0), consentedSinceMs: atSecond(0) });
    expect(await withdraw(3)).toEqual(applied);
    const withdrawn = { ...noConsent, consentChangedAtMs: atSecond(3), consentClaimedAtMs: atSecond(50) };
    expect(await find()).toMatchObject(withdrawn);
    const before = [await find(), await records()];
    expect(await acceptAhead(5)).toEqual(stale);
    expect([await find(), await records()]).toEqual(before);
  });

  describe('an acceptance is decided again after a concurrent change', () => {
    test('by a newer withdrawal', async () => {
      const { accept, withdraw, find } = await companyWithEvents();
      const overtaken = overtakenBy(world.store, () => withdraw(2));
      expect(await accept(1, 3, overtaken)).toEqual(stale);
      expect(await find()).toMatchObject(withdrawnAt(2));
    });

    test('by an older withdrawal', async () => {
      const { accept, withdraw, find } = await companyWithEvents();
      const overtaken = overtakenBy(world.store, () => withdraw(1));
      expect(await accept(2, 3, overtaken)).toEqual(applied);
      expect(await find()).toMatchObject({ acceptedConsentVersion: 3, consentChangedAtMs: atSecond(2) });
    });

    test('in each attempt, then fails, and applies at its next delivery', async () => {
      const { companyId, accept } = await companyWithEvents();
      let second = 10;
      const rename = () =>
        setAttributes(world.store, 'Contracts', contractKey(partiesOf(companyId)), { sinceMs: second++ });
      const overtaken = [1, 2, 3, 4, 5].reduce((store, nth) => overtakenBy(store, rename, nth), world.store);
      await expect(accept(1, 3, overtaken)).rejects.toThrow('5 attempts');
      expect(await accept(1)).toEqual(applied);
    });
  });
});

describe('an owner who chooses a company', () => {
  type Act = 'opened' | 'ended' | 'accepted' | 'withdrawn';
  const acts = {
    opened: openContract,
    ended: endContract,
    accepted: (...[store, context, owner]: Parameters<typeof openContract>) =>
      acceptConsent(store, context, { ...owner, consentVersion: 3, requiredVersion: 3 }),
    withdrawn: withdrawConsent,
  };

  /** Returns the result of events of a new owner at these seconds, in this order. */
  const apply = async (events: readonly (readonly [Act, number])[]) => {
    const { companyId } = await onboard(world.store);
    const parties = { companyId, userId: 'newcomer' };
    for (const [act, second] of events)
      await acts[act](world.store, operatorActOn(companyId, startMs + second * 1000), parties);
    const contract = await findContract(world.store, parties);
    const { contracts } = await readContractPage(world.store, companyId, 10);
    const isListed = contracts.some(({ userId }) => userId === 'newcomer');
    return [contract?.state, contract?.acceptedConsentVersion, isListed];
  };

  test.each<[string, readonly (readonly [Act, number])[], unknown[]]>([
    [
      'consents, then opens',
      [
        ['accepted', 1],
        ['opened', 2],
      ],
      ['active', 3, true],
    ],
    [
      'opens, then consents',
      [
        ['opened', 1],
        ['accepted', 2],
      ],
      ['active', 3, true],
    ],
    ['consents only', [['accepted', 1]], ['unopened', 3, false]],
    [
      'opens after a withdrawal that is newer than its consent',
      [
        ['withdrawn', 2],
        ['accepted', 1],
        ['opened', 3],
      ],
      ['active', null, true],
    ],
    [
      'ends',
      [
        ['opened', 1],
        ['ended', 2],
      ],
      ['ended', null, true],
    ],
    [
      'ended before the opening arrived',
      [
        ['ended', 2],
        ['opened', 1],
      ],
      ['ended', null, true],
    ],
    [
      'opens again, and the end arrives late',
      [
        ['opened', 1],
        ['opened', 3],
        ['ended', 2],
      ],
      ['active', null, true],
    ],
    [
      'opens again',
      [
        ['opened', 1],
        ['ended', 2],
        ['opened', 3],
      ],
      ['active', null, true],
    ],
  ])('and %s', async (_, events, expected) => {
    expect(await apply(events)).toEqual(expected);
  });

  test('is recorded with each decision that is stored', async () => {
    const { companyId } = await onboard(world.store);
    const owner = { userId: 'newcomer' };
    const act = (second: number) => operatorActOn(companyId, startMs + second * 1000);
    expect(await openContract(world.store, act(1), owner)).toEqual(applied);
    expect(await openContract(world.store, act(1), owner)).toEqual(stale);
    expect(await openContract(world.store, act(2), owner)).toEqual({ outcome: 'noted' });
    expect(await endContract(world.store, act(3), owner)).toEqual(applied);
    const ofOwner = (await readAudit(world.store, companyId)).filter(({ userId }) => userId === 'newcomer');
    expect(ofOwner.map(({ after }) => (after as Contract).state)).toEqual(['active', 'active', 'ended']);
  });

  test('of two concurrent events, the second is decided on the result of the first', async () => {
    const { companyId } = await onboard(world.store);
    const owner = { userId: 'newcomer' };
    const act = (second: number) => operatorActOn(companyId, startMs + second * 1000);
    const overtaken = overtakenBy(world.store, () => endContract(world.store, act(2), owner));
    expect(await openContract(overtaken, act(1), owner)).toEqual({ outcome: 'noted' });
    expect((await findContract(world.store, { companyId, ...owner }))?.state).toBe('ended');
  });

  const applied = { outcome: 'applied' };
  const stale = { outcome: 'stale' };
});
