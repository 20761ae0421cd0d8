import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { auditDays, maxAuditQueries, maxPageBytes } from '../../../lambdas/api/limits.ts';
import { auditPut, readOwnChanges } from '../../../lambdas/data/audit.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { acceptConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { changeAs, portalEventOn, readAllAuditPages, readAuditPage, readAuditPageAt } from '../../support/audit.ts';
import { call, type EquippedCompany, equipCompany } from '../../support/call.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { upTo } from '../../support/feed.ts';
import { below, seededNumbers } from '../../support/random.ts';
import { consistencyOf, inFlight, operatorActOn } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Puts a row with this operation into the audit log. */
const record = (company: EquippedCompany, operation: string, atMs: number, byKey = true, after = {}) => {
  const actorKey = byKey ? { companyId: company.companyId, keyId: company.key.keyId, hash: new Uint8Array() } : null;
  const auditContext = { ...operatorActOn(company.companyId, atMs), operation, actorKey };
  return transact(world.store, { audit: auditPut(world.store, auditContext, { keyId: operation, after }) });
};

describe('a page', () => {
  /** Every third row is one of the company. */
  const mixedLog = async (rows: number) => {
    const company = await equipCompany(world.store);
    for (let row = 0; row < rows; row++)
      await record(company, `change${row % 3 === 0 ? '' : 'x'}`, startMs + row * 1000, row % 3 === 0);
    return company;
  };

  test.each(['1', '2', '3', '7', '100'])('of %s changes neither misses nor repeats one', async (limit) => {
    const company = await mixedLog(30);
    const times = (await readAllAuditPages(company.key.apiKey, limit)).map(({ at }) => at);
    expect(times).toEqual(Array.from({ length: 10 }, (_, index) => toTimestamp(startMs + (27 - 3 * index) * 1000)));
  });

  test(`is full although other changes lie between, and takes at most ${maxAuditQueries} queries`, async () => {
    const company = await mixedLog(60);
    const queriesOf = async (limit: string) => {
      world.proxy.begin();
      const page = await readAuditPage(company.key.apiKey, { limit });
      const table = world.store.tableName('AuditLog');
      const queries = world.proxy.exchanges.filter(({ input }) => input.TableName === table);
      for (const { input } of queries) expect(input.Limit).toBeLessThanOrEqual(Number(limit));
      return [page.items.length, queries.length];
    };
    expect(await queriesOf('2')).toEqual([2, 4]);
    expect(await queriesOf('20')).toEqual([17, maxAuditQueries]);
  });

  test('ends at a size: 100 large changes, 6.5 MB, are on some 30 pages', async () => {
    const company = await equipCompany(world.store);
    const key = { label: 'x'.repeat(65_000) };
    const rows = upTo(100);
    await inFlight(10, rows.length, (row) => record(company, 'change', startMs + row * 1000, true, { key }));
    let pages = 0;
    const times: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const page = await readAuditPage(company.key.apiKey, { limit: '100', ...(cursor && { cursor }) });
      expect(Buffer.byteLength(JSON.stringify(page.items))).toBeLessThan(maxPageBytes + 2);
      times.push(...page.items.map(({ at }) => at));
      cursor = page.nextCursor;
    }
    expect(times).toEqual(rows.map((row) => toTimestamp(startMs + (100 - row) * 1000)));
    expect(pages).toBeLessThan(40);
  });

  test(`shows the changes of the last ${auditDays} days, and is empty if its cursor is older`, async () => {
    const company = await equipCompany(world.store, { nowMs: startMs + (auditDays - 1) * dayMs });
    for (const second of [0, 10, 20]) await record(company, 'change', startMs + second * 1000);
    const at = (ms: number, query = {}) => readAuditPageAt(company.key.apiKey, startMs + auditDays * dayMs + ms, query);
    const { nextCursor } = await at(0, { limit: '1' });
    const shown: number[] = [];
    for (const ms of [0, 1, 10_000, 10_001, 20_000, 20_001]) shown.push((await at(ms)).items.length);
    expect(shown).toEqual([3, 2, 2, 1, 1, 0]);
    expect(await at(30_000, { cursor: String(nextCursor) })).toEqual({ items: [], nextCursor: null });
  });

  test('is read with strong consistency, so that it has every change whose request was answered', async () => {
    const company = await equipCompany(world.store);
    const query = { sinceMs: startMs, limit: 100, after: undefined };
    expect(await consistencyOf(() => readOwnChanges(world.store, company.companyId, query))).toEqual([true]);
  });

  test('begins only at a cursor that this list has returned to this company', async () => {
    const company = await mixedLog(6);
    const other = await equipCompany(world.store);
    const { nextCursor } = await readAuditPage(company.key.apiKey, { limit: '1' });
    const ask = async (operation: OperationId, apiKey: string) =>
      (await call(operation, { apiKey, nowMs: startMs + 7 * dayMs, query: { cursor: [String(nextCursor)] } })).status;
    expect(await ask('listAuditEntries', company.key.apiKey)).toBe(200);
    expect(await ask('listAuditEntries', other.key.apiKey)).toBe(400);
    expect(await ask('listApiKeys', company.key.apiKey)).toBe(400);
  });
});

test('of any sequence of changes, each company sees exactly its own', campaign, async (context) => {
  await playRounds(context, { test: 2, seconds: 20, full: 500 }, async (roundSeed) => {
    const random = seededNumbers(roundSeed);
    const companies = [await equipCompany(world.store), await equipCompany(world.store)] as const;
    const [first] = companies;
    // Both companies may act on the same gateway.
    for (const company of companies) {
      const grant = { userId: company.contract.userId, gatewayId: first.gatewayId, isGranted: true };
      await applyGrant(world.store, portalEventOn(company, startMs), grant);
    }
    const made = new Map<EquippedCompany, string[]>(companies.map((company) => [company, []]));
    for (let step = 1; step <= 20; step++) {
      const company = companies[below(random, 2)] ?? first;
      const nowMs = startMs + step * minuteMs;
      const note = (id: string) => made.get(company)?.unshift(id);
      const told = portalEventOn(company, nowMs);
      const { userId } = company.contract;
      const moves = [
        async () => note(await changeAs(company, 'updateHeatingCircuit', { nowMs }, { gatewayId: first.gatewayId })),
        async () => note(await changeAs(company, 'rotateWebhookSecret', { nowMs })),
        async () => note(await changeAs(company, 'verifyWebhook', { nowMs, body: { code: null } })),
        () => acceptConsent(world.store, told, { userId, consentVersion: 3 + step, requiredVersion: 3 }),
        () => applyGrant(world.store, told, { userId, gatewayId: `gw-${step}`, isGranted: true }),
      ];
      await moves[below(random, moves.length)]?.();
    }
    for (const company of companies) {
      const entries = await readAllAuditPages(company.key.apiKey, String(1 + below(random, 10)));
      expect(entries.map(({ requestId }) => requestId)).toEqual(made.get(company));
      const text = JSON.stringify(entries);
      for (const other of companies)
        if (other !== company)
          for (const id of [other.companyId, other.contract.userId, other.key.keyId, other.webhook.webhookId])
            expect(text).not.toContain(id);
    }
  });
});
