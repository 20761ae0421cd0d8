import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AuditPosition, type AuditScope, auditPut, readAuditLog } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { readAudit } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('audit log', () => {
  test('a row takes the place of no other, and what belongs to it is not done', async () => {
    const auditContext = { companyId: 'c', nowMs: startMs, requestId: 'r', operation: 'o', actorKey: null };
    const first = auditPut(world.store, auditContext, { keyId: 'first' });
    const second = auditPut(world.store, auditContext, { keyId: 'second' });
    expect(await transact(world.store, { first })).toBeUndefined();
    const inItsPlace = { Put: { ...second.Put, Item: { ...second.Put?.Item, sk: first.Put?.Item?.sk } } };
    const other = auditPut(world.store, auditContext, { keyId: 'other' });
    expect(await transact(world.store, { inItsPlace: inItsPlace as typeof second, other })).toMatchObject({
      name: 'inItsPlace',
    });
    expect(await readAudit(world.store, 'c')).toMatchObject([{ keyId: 'first' }]);
  });
});

describe('audit reading', () => {
  const [companyId, userId, gatewayId] = [`c${process.pid}`, `owner-${process.pid}`, `gw-${process.pid}`];

  /** Twelve changes, half a second apart: the first four without an owner, the last four of another company to the same gateway. */
  beforeAll(async () => {
    for (let step = 0; step < 12; step++) {
      const auditContext = {
        companyId: step < 8 ? companyId : `${companyId}b`,
        nowMs: startMs + step * 500,
        requestId: randomUUID(),
        operation: step < 4 ? 'createApiKey' : 'updateHeatingCircuit',
        actorKey: null,
        userId: step < 4 ? undefined : userId,
      };
      await transact(world.store, {
        audit: auditPut(world.store, auditContext, step < 4 ? { keyId: 'new' } : { gatewayId }),
      });
    }
  });

  describe.each<[AuditScope, number[]]>([
    [{ by: 'company', id: companyId }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ by: 'user', id: userId }, [11, 10, 9, 8, 7, 6, 5, 4]],
    [{ by: 'gateway', id: gatewayId }, [11, 10, 9, 8, 7, 6, 5, 4]],
    [{ by: 'gateway', id: 'another' }, []],
  ])('the changes of %j', (scope, steps) => {
    const expected = steps.map((step) => toTimestamp(startMs + step * 500));

    test('are read newest first', async () => {
      const { rows } = await readAuditLog(world.store, scope, 100);
      expect(rows.map(({ at }) => at)).toEqual(expected);
    });

    test('come in pages that miss and repeat none', async () => {
      const times: string[] = [];
      let after: AuditPosition | undefined;
      do {
        const page = await readAuditLog(world.store, scope, 3, after);
        expect(page.rows.length).toBeLessThanOrEqual(3);
        times.push(...page.rows.map(({ at }) => at));
        after = page.next;
      } while (after);
      expect(times).toEqual(expected);
    });
  });
});
