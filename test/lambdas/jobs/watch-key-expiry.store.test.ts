import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { jobs } from '../../../lambdas/api/background-functions.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { putDueNotices, readSlotsByExpiryMonth } from '../../../lambdas/data/api-keys/key-notices.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import { addMonths, toMonth, toTimestamp } from '../../../lambdas/domain/time.ts';
import { campaign, proven, size } from '../../support/campaign.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { readNoticeChanges, watchAt } from '../../support/feed.ts';
import { inFlight, operatorActOn, setAttributes, usedActions } from '../../support/store.ts';
import { injectFault, issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

const dayMs = 86_400_000;
/** The default expiry of the keys that these tests issue. */
const expiresAtMs = addMonths(startMs, 6);
const daysAhead = (days: number) => expiresAtMs - days * dayMs;

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld({ hasStreams: true });
});
beforeEach(() => world.takeNewTables('ApiKeys', 'KeyNotices'));

/** Returns `<keyId>#P14D` for each notice, sorted; fails if a row was ever changed after it was stored. */
const noticeIds = async () => {
  const changes = await readNoticeChanges();
  expect(changes.filter(({ eventName }) => eventName !== 'INSERT')).toEqual([]);
  return changes.map(({ row }) => row.sk).toSorted();
};

describe('a notice is given once per key and step', () => {
  test('by a watch that runs twice a day', proven, async () => {
    const { key } = await onboard(world.store);
    const given: number[] = [];
    for (const day of [61, 60, 45, 30, 14, 13, 7, 3, 2, 1, 0.5, 0, -1])
      for (const run of [1, 2]) {
        const { events } = await watchAt(daysAhead(day));
        if (events[0]?.notices) given.push(day * run);
      }
    expect(given).toEqual([60, 30, 14, 7, 3, 1]);
    expect(await noticeIds()).toEqual(
      ['P60D', 'P30D', 'P14D', 'P7D', 'P3D', 'P1D'].map((remaining) => `${key.keyId}#${remaining}`).toSorted(),
    );
  });

  const stepDays = size({ test: [14], prove: [60, 30, 14, 7, 3, 1] });
  const watches = size({ test: 4, prove: 10 });
  test(`by ${watches} concurrent watches, ${stepDays.join(', ')} days before`, campaign, async () => {
    const companies = await Promise.all([2, 1, 3].map((keys) => onboard(world.store, { keys })));
    for (const day of stepDays) {
      const { events, errors } = await watchAt(daysAhead(day), watches);
      expect(errors).toEqual([]);
      expect(events.reduce((sum, { notices = Number.NaN }) => sum + notices, 0)).toBe(6);
    }
    expect((await noticeIds()).length).toBe(companies.flatMap(({ keys }) => keys).length * stepDays.length);
  });

  test('by a watch that fails before or after any of its store calls, and runs again', proven, async () => {
    const ends: readonly (readonly Fault[])[] = [['deny'], ['lose-answer', 'deny']];
    // The calls for each month, the contracts of each company, and each notice.
    const calls = 8 + 2 + 3;
    for (let call = 0; call < calls; call++)
      for (const end of ends) {
        await world.takeNewTables('ApiKeys', 'KeyNotices');
        const companies = [await onboard(world.store, { keys: 2 }), await onboard(world.store)];
        world.proxy.begin((_, ordinal) => (ordinal < call ? undefined : end[Math.min(ordinal - call, end.length - 1)]));
        onTestFinished(() => world.proxy.begin());
        const broken = await watchAt(daysAhead(14));
        expect(broken.errors.length).toBe(1);
        expect(broken.events).toMatchObject([{ level: 'ERROR' }]);

        world.proxy.begin();
        expect((await watchAt(daysAhead(14))).errors).toEqual([]);
        expect(world.proxy.exchanges.length).toBe(calls);
        const keyIds = companies.flatMap(({ keys }) => keys.map(({ keyId }) => keyId));
        expect(await noticeIds()).toEqual(keyIds.map((keyId) => `${keyId}#P14D`).toSorted());
      }
  });

  test('if every other answer is lost, and counted once', async () => {
    await onboard(world.store, { keys: 3 });
    injectFault(world, (_, ordinal) => (ordinal % 2 === 0 ? 'lose-answer' : undefined));
    const { events } = await watchAt(daysAhead(14));
    expect(events).toMatchObject([{ level: 'INFO', notices: 3 }]);
    expect((await noticeIds()).length).toBe(3);
  });
});

describe('who gets a notice', () => {
  test('a row names the company, the key, its expiry and the remaining time, and is removed 30 days later', async () => {
    const { companyId, key } = await onboard(world.store);
    const nowMs = daysAhead(13.5);
    await watchAt(nowMs);
    expect((await readNoticeChanges()).map(({ row }) => row)).toEqual([
      {
        companyId,
        sk: `${key.keyId}#P14D`,
        keyId: key.keyId,
        access: 'full',
        label: null,
        expiresAt: toTimestamp(expiresAtMs),
        remaining: 'P14D',
        isLastKey: true,
        noticedAt: toTimestamp(nowMs),
        removeAt: (expiresAtMs + 30 * dayMs) / 1000,
      },
    ]);
  });

  test('of a company with a newer key: its old key expires and is not the last', async () => {
    const { companyId, key } = await onboard(world.store);
    await issueKey(world.store, companyId, startMs + 20 * dayMs);
    await watchAt(daysAhead(14));
    const rows = (await readNoticeChanges()).map(({ row }) => [row.keyId, row.remaining, row.isLastKey]);
    expect(rows).toContainEqual([key.keyId, 'P14D', false]);
    expect(rows.filter(([, , isLastKey]) => isLastKey).map(([, remaining]) => remaining)).toEqual(['P60D']);
  });

  test('of a company whose newer key works from no registered address: its old key is the last one', async () => {
    const { companyId, company, key } = await onboard(world.store);
    const bound = { ...defaultKeyOptions, allowedCidrs: ['127.0.0.1/32'] };
    await issueKey(world.store, companyId, startMs + 20 * dayMs, bound);
    await watchAt(daysAhead(30));
    await putCompany(world.store, { ...company, allowedCidrs: ['127.0.0.2/32'] });
    const { events } = await watchAt(daysAhead(14));
    expect(events).toMatchObject([{ DaysToLastKeyExpiry: 14, nearestCompanyId: companyId }]);
    const rows = (await readNoticeChanges()).map(({ row }) => [row.keyId, row.remaining, row.isLastKey]);
    expect(rows).toContainEqual([key.keyId, 'P30D', false]);
    expect(rows).toContainEqual([key.keyId, 'P14D', true]);
  });

  test.each([
    ['active', 1],
    ['suspended', 1],
    ['ended', 0],
  ] as const)('a company whose contract is %s: %d', async (state, notices) => {
    await onboard(world.store, { state });
    expect((await watchAt(daysAhead(14))).events).toMatchObject([{ companies: notices, notices }]);
    expect((await noticeIds()).length).toBe(notices);
  });

  test('a company without a contract, or with several of which not all have ended', async () => {
    await issueKey(world.store, 'without');
    const { companyId, contract } = await onboard(world.store, { state: 'ended' });
    await putContract(world.store, { ...contract, userId: 'second' });
    await putContract(world.store, { ...contract, userId: 'third', state: 'active' });
    const left = await onboard(world.store, { state: 'ended' });
    await putContract(world.store, { ...left.contract, userId: 'second' });
    expect((await watchAt(daysAhead(14))).events).toMatchObject([{ companies: 2, notices: 2 }]);
    expect((await readNoticeChanges()).map(({ row }) => row.companyId).toSorted()).toEqual([companyId, 'without']);
  });

  test('not for a deleted key, even if it is deleted after the watch has read it', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const found = await readSlotsByExpiryMonth(world.store, toMonth(expiresAtMs));
    const [slot] = found.filter(({ keyId }) => keyId === keys[1]?.keyId);
    if (!slot) throw new Error('The key is not found by its month.');
    await deleteApiKey(world.store, operatorActOn(companyId), slot.keyId);
    expect(await putDueNotices(world.store, [{ keys: [slot], registered: [] }], daysAhead(14))).toBe(0);
    expect((await watchAt(daysAhead(14))).events).toMatchObject([{ notices: 1 }]);
    expect(await noticeIds()).toEqual([`${keys[0]?.keyId}#P14D`]);
  });

  test('101 companies', proven, async () => {
    await inFlight(20, 101, () => onboard(world.store));
    expect((await watchAt(daysAhead(14))).events).toMatchObject([{ companies: 101, notices: 101 }]);
    expect((await noticeIds()).length).toBe(101);
  });

  test('for all keys of a month with more than one page', async () => {
    const companies = await inFlight(4, 4, () => onboard(world.store));
    for (const { companyId, key } of companies) {
      const slot = (await findApiKey(world.store, companyId, key.keyId))?.slot as number;
      // Three items of this size fill a page.
      await setAttributes(world.store, 'ApiKeys', slotItemKey(companyId, slot), { filler: 'x'.repeat(390_000) });
    }
    world.proxy.begin();
    expect((await watchAt(daysAhead(14))).events).toMatchObject([{ companies: 4, notices: 4 }]);
    expect(world.proxy.exchanges.filter(({ action }) => action === 'Query').length).toBeGreaterThan(8);
  });
});

describe('the watch reads and logs no more than it needs', () => {
  test('one query of the index for each of eight months, and one for each company’s contracts; never a hash', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 3 });
    world.proxy.begin();
    await watchAt(daysAhead(100));
    const { exchanges } = world.proxy;
    expect(exchanges.map(({ action }) => action)).toEqual(Array(9).fill('Query'));
    expect(new Set(exchanges.slice(0, 8).map(({ input }) => input.IndexName))).toEqual(new Set(['byExpiryMonth']));
    const wire = JSON.stringify(exchanges);
    expect(wire).toContain(companyId);
    expect(wire).not.toContain('KEY#');
    for (const { hash } of keys) expect(wire).not.toContain(Buffer.from(hash).toString('base64'));
  });

  test('it uses exactly the table actions of its row', async () => {
    const { companyId } = await onboard(world.store);
    await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, allowedCidrs: ['127.0.0.1/32'] });
    world.proxy.begin();
    await watchAt(daysAhead(14));
    const granted = Object.entries(jobs.watchKeyExpiry.tableActions).flatMap(([target, actions]) =>
      actions.map((action) => `${action} on ${target}`),
    );
    expect(usedActions(world.store, world.proxy.exchanges)).toEqual(granted.toSorted());
  });

  test('its line has the metrics and the nearest company but no key, and is at most 1 kB', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    await onboard(world.store, { nowMs: startMs + 40 * dayMs });
    const { lines } = await watchAt(daysAhead(14) + 1);
    expect(lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      timestamp: new Date(daysAhead(14) + 1).toISOString(),
      level: 'INFO',
      operation: 'watchKeyExpiry',
      companies: 2,
      notices: 3,
      KeysExpiring: 3,
      DaysToLastKeyExpiry: 13.9,
      nearestCompanyId: companyId,
      _aws: expect.anything(),
    });
    expect(Buffer.byteLength(lines[0] ?? '')).toBeLessThan(1024);
    for (const secret of keys.flatMap(({ keyId, apiKey }) => [keyId, apiKey])) expect(lines[0]).not.toContain(secret);
  });
});
