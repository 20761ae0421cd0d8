import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxReportedErrors } from '../../../lambdas/api/limits.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let company: EquippedCompany;
beforeAll(async () => {
  company = await equipCompany((await openWorld()).store);
});

let minute = 0;
const put = (body: unknown, contentType = 'application/json') =>
  call('updateHeatingTimeProgram', {
    ...goodCall('updateHeatingTimeProgram', company),
    nowMs: startMs + minute++ * 60_000,
    headers: { 'x-user-id': [company.contract.userId], 'Content-Type': [contentType] },
    body,
  });

test('a small body with hundreds of faults of its appliance is answered with the first fifty, not with megabytes', async () => {
  const points = Array.from({ length: 400 }, () => ({ dayOfWeek: 'monday', time: '06:01', setpoint: 'eco' }));
  expect((await put({ name: 'x', switchPoints: points })).body.errors.length).toBe(maxReportedErrors);
});

describe('a refusal says in a sentence what was expected', () => {
  let calls = 0;

  test.each<[OperationId, object, string, string]>([
    [
      'updateHeatingCircuit',
      { roomSetpointCelsius: 31 },
      '/body/roomSetpointCelsius',
      'Expected a temperature from 5 to 30 in steps of 0.5.',
    ],
    [
      'updateHeatingCircuit',
      { roomSetpointCelsius: 21.3 },
      '/body/roomSetpointCelsius',
      'Expected a temperature from 5 to 30 in steps of 0.5.',
    ],
  ])('by %s of %j', async (operationId, body, pointer, detail) => {
    const good = goodCall(operationId, company);
    const headers = { ...good.headers, 'content-type': ['application/json'] };
    const answer = await call(operationId, { ...good, headers, body, nowMs: startMs + 2e9 + calls++ * 60_000 });
    expect(answer.body.errors).toContainEqual({ pointer, detail });
  });
});
