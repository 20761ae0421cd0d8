import { beforeAll, expect, test } from 'vitest';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { callsOf, equipCompany, goodCall } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const maxMs = 30 * 86_400_000;

/** The operations that request settings of an appliance: all changes of a home that have a body. */
const changes = operationIds.filter((operationId) => {
  const row = endpoints[operationId];
  return 'ifMatch' in row && 'body' in row;
});

/** Sends good requests, each ten seconds after the one before, with the `validUntil` that belongs to its time. */
const openScene = async (operationId: OperationId) => {
  const company = await equipCompany(world.store);
  const { body, ...good } = goodCall(operationId, company);
  let nowMs = startMs;
  return (validUntil?: (nowMs: number) => unknown) => {
    nowMs += 10_000;
    const end = validUntil && { validUntil: validUntil(nowMs) };
    return callsOf(company)(operationId, { ...good, body: { ...(body as object), ...end }, nowMs });
  };
};

const after = (ms: number) => (nowMs: number) => toTimestamp(nowMs + ms);

const tooFar = 'Expected a time after now, and at most 30 days ahead.';
const noTime = expect.stringMatching(/^Expected a time with its offset/);
const refused: readonly (readonly [validUntil: (nowMs: number) => unknown, detail: unknown])[] = [
  [after(0), tooFar],
  [after(-1), tooFar],
  [after(maxMs + 1), tooFar],
  [() => 'tonight', noTime],
  [() => null, noTime],
];

test('both PATCHes and all PUTs of homes take validUntil', () => {
  expect(changes).toHaveLength(7);
});

test.each(changes)(
  '%s shows until when the change is worth applying, and refuses a time that it may not be, without a change',
  async (operationId) => {
    const ask = await openScene(operationId);
    const latest = await ask(after(maxMs));
    const validUntil = toTimestamp(startMs + 10_000 + maxMs);
    expect(latest).toMatchObject({ status: 202, body: { state: 'pending', version: 2, validUntil } });
    const elsewhere = await ask(() => '2036-03-10T14:01:00+01:00');
    expect(elsewhere.body).toMatchObject({ version: 3, validUntil: '2036-03-10T13:01:00Z' });
    for (const [end, detail] of refused) {
      const errors = [{ pointer: '/body/validUntil', detail }];
      expect((await ask(end)).body).toMatchObject({ code: 'invalid-request', errors });
    }
    const without = await ask();
    expect(without).toMatchObject({ status: 202, body: { state: 'pending', version: 4 } });
    expect(without.body).not.toHaveProperty('validUntil');
  },
);

test.each(['updateHeatingCircuit', 'updateDhwCircuit'] as const)('%s refuses an end without a setting', async (id) => {
  const company = await equipCompany(world.store);
  const body = { validUntil: toTimestamp(startMs + maxMs) };
  const { body: problem } = await callsOf(company)(id, { ...goodCall(id, company), body });
  expect(problem.errors).toEqual([{ pointer: '/body', detail: 'Expected at least one property to change.' }]);
});
