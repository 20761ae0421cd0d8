import { beforeAll, describe, expect, test } from 'vitest';
import { requestedChange } from '../../../lambdas/api/requested-change.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { readAuditLog } from '../../../lambdas/data/audit.ts';
import { blockFacts } from '../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { requestedChangeMessage } from '../../../lambdas/outbound/requested-change-message.ts';
import { factTimesAt, installGrantedGateway, reportedCircuits } from '../../support/appliance.ts';
import { callsOf, equipCompany } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const hourMs = 3_600_000;
const at = (afterMs: number) => toTimestamp(startMs + afterMs);

const families = {
  heating: {
    operations: { set: 'setHeatingOverride', end: 'deleteHeatingOverride', read: 'getHeatingCircuit' },
    change: 'updateHeatingCircuit',
    wanted: { roomSetpointCelsius: 23, until: at(hourMs) },
  },
  dhw: {
    operations: { set: 'setDhwOverride', end: 'deleteDhwOverride', read: 'getDhwCircuit' },
    change: 'updateDhwCircuit',
    wanted: { until: at(hourMs) },
  },
} as const;

describe.each(['heating', 'dhw'] as const)('an override of a circuit of %s', (family) => {
  const { operations, change, wanted } = families[family];
  const override = { ...wanted, since: at(0) };

  test('is pending since its request, confirmed by a report, and gone when the appliance reports its end', async () => {
    const { ask, report } = await openScene(family);
    expect((await ask(operations.read)).body).toMatchObject({ override: null, state: 'confirmed', version: 1 });
    const set = await ask(operations.set, { body: wanted });
    expect(set).toMatchObject({ status: 202, headers: { etag: '"2"' } });
    expect(set.body).toMatchObject({ override, state: 'pending', version: 2, connectivity: 'online' });
    await report({ override }, 1000, 2);
    expect((await ask(operations.read)).body).toMatchObject({ override, state: 'confirmed', version: 2 });
    await report({ override: null }, hourMs);
    const ended = { override: null, state: 'confirmed', version: 2, reportedAt: at(hourMs) };
    expect((await ask(operations.read)).body).toMatchObject(ended);
  });

  test('is sent to the backend with the other pending values, and audited with the previous value', async () => {
    const { ask, gatewayId } = await openScene(family);
    await ask(change, { body: { operationMode: 'off' } });
    await ask(operations.set, { body: wanted, nowMs: startMs + 1 });
    await ask(operations.end, { nowMs: startMs + 2 });
    const asked = { ...override, since: at(1) };
    const [open] = await listOpenChanges(world.store, gatewayId);
    if (!open) throw new Error('Nothing is open.');
    const { data } = requestedChange().parse(JSON.parse(requestedChangeMessage(open).body));
    expect(data).toMatchObject({ version: 4, desired: { operationMode: 'off', override: null } });
    const { rows } = await readAuditLog(world.store, { by: 'gateway', id: gatewayId }, 2);
    expect(rows).toMatchObject([
      { operation: operations.end, circuitId: 'c1', family, before: { override: asked }, after: { override: null } },
      { operation: operations.set, circuitId: 'c1', family, before: { override: null }, after: { override: asked } },
    ]);
  });

  test('can always be ended: a DELETE is a change, even without an override or if repeated', async () => {
    const { ask } = await openScene(family);
    for (const version of [2, 3])
      expect((await ask(operations.end)).body).toMatchObject({ override: null, state: 'pending', version });
  });

  test('cannot be changed by a PATCH', async () => {
    const { ask } = await openScene(family);
    await ask(operations.set, { body: wanted });
    const refused = await ask(change, { body: { operationMode: 'off', override } });
    expect(refused.body.errors).toEqual([
      { pointer: '/body', detail: expect.stringMatching(/^Unknown property "override": leave it out\./) },
    ]);
    expect((await ask(change)).body).toMatchObject({ operationMode: 'off', override, version: 3 });
  });

  test.each<[string, object, string]>([
    ['that ends now', { ...wanted, until: at(0) }, '/body/until'],
    ['that ended before', { ...wanted, until: at(-1) }, '/body/until'],
    ['of more than a week', { ...wanted, until: at(7 * 24 * hourMs + 1) }, '/body/until'],
    ['until no time', { ...wanted, until: 'tomorrow' }, '/body/until'],
    ['until a day that there is not', { ...wanted, until: '2026-02-30T10:00:00Z' }, '/body/until'],
    ['until a time of another zone', { ...wanted, until: '2026-11-21T10:00:00+01:00' }, '/body/until'],
    ['without an end', { ...wanted, until: undefined }, '/body/until'],
    ['that says when it was requested', override, '/body'],
  ])('%s is refused, and nothing changes', async (_, body, pointer) => {
    const { ask } = await openScene(family);
    const refused = await ask(operations.set, { body });
    expect(refused.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
    expect((await ask(operations.read)).body).toMatchObject({ override: null, version: 1 });
  });

  test('is refused for a gateway without the feature, and nothing is written', async () => {
    const { companyId, ask } = await openScene(family);
    const old = await installGrantedGateway(world.store, companyId, { features: [] });
    for (const operationId of [operations.set, operations.end]) {
      const refused = await ask(operationId, { body: wanted }, { gatewayId: old.gatewayId });
      expect(refused.body).toMatchObject({ code: 'not-supported', feature: `${family}Overrides` });
    }
    expect((await ask(operations.read, {}, { gatewayId: old.gatewayId })).body.version).toBe(1);
    expect((await readAuditLog(world.store, { by: 'gateway', id: old.gatewayId }, 1)).rows).toEqual([]);
  });

  test('is refused while the appliance blocks its circuits, and if If-Match names another version', async () => {
    const { gatewayId, ask } = await openScene(family);
    const stale = await ask(operations.set, { body: wanted, headers: { 'If-Match': ['"0"'] } });
    expect(stale.body.code).toBe('precondition-failed');
    const block = { sinceMs: startMs, untilMs: startMs + hourMs };
    await reportFacts(world.store, gatewayId, blockFacts(`${family}Circuits`, block), factTimesAt(startMs));
    for (const operationId of [operations.set, operations.end])
      expect((await ask(operationId, { body: wanted })).body).toMatchObject({
        code: 'appliance-function-blocked',
        function: `${family}Circuits`,
      });
  });

  test('that did not reach the gateway before its end is fulfilled by the first report after it', async () => {
    const { ask, report } = await openScene(family);
    await ask(operations.set, { body: wanted });
    await report({}, hourMs - 1);
    // Until then the requested override is shown, with an end that has visibly passed.
    expect((await ask(operations.read)).body).toMatchObject({ override, state: 'pending' });
    await report({}, hourMs);
    expect((await ask(operations.read)).body).toMatchObject({ override: null, state: 'confirmed', version: 2 });
  });

  test('until the next switch point is confirmed with the reported time, not by an earlier equal override', async () => {
    const { ask, report } = await openScene(family);
    const { body } = await ask(operations.set, { body: { ...wanted, until: 'next-switch-point' } });
    expect(body.override).toEqual({ ...override, until: 'next-switch-point' });
    await report({ override: { ...override, since: at(-60_000), until: at(2 * hourMs) } }, 999);
    expect((await ask(operations.read)).body).toMatchObject({ state: 'pending' });
    await report({ override: { ...override, until: at(2 * hourMs) } }, 1000);
    const confirmed = { override: { ...override, until: at(2 * hourMs) }, state: 'confirmed' };
    expect((await ask(operations.read)).body).toMatchObject(confirmed);
  });
});

/** Returns a company with a gateway, its calls, and a function that reports the first circuit of a family. */
const openScene = async (family: keyof typeof families) => {
  const company = await equipCompany(world.store);
  const key = circuitItemKey(company.gatewayId, family, 'c1');
  return {
    ...company,
    ask: callsOf(company),
    report: (settings: object, afterMs: number, fulfilsVersion?: number) =>
      report(
        world.store,
        key,
        { reported: { ...reportedCircuits[family], ...settings }, fulfilsVersion },
        factTimesAt(startMs + afterMs),
      ),
  };
};
