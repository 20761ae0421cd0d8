import { beforeAll, describe, expect, test } from 'vitest';
import { maxBodyBytes, maxReportedErrors } from '../../../lambdas/api/limits.ts';
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

test('a small body with thousands of faults is not answered with megabytes: the first fifty are told', async () => {
  const fault = '{},';
  const switchPoints = `[${fault.repeat(8000)}{}]`;
  const { body } = await put(`{"name":"x","switchPoints":${switchPoints}}`);
  expect(body.errors.length).toBe(maxReportedErrors);
  const points = Array.from({ length: 400 }, () => ({ dayOfWeek: 'monday', time: '06:01', setpoint: 'eco' }));
  expect((await put({ name: 'x', switchPoints: points })).body.errors.length).toBe(maxReportedErrors);
});

test('a body of long names that nobody knows is not echoed', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(300, 'x'));
  const { body } = await put(Object.fromEntries(names.map((name) => [name, 1])));
  expect(JSON.stringify(body.errors).length).toBeLessThan(2000);
});

test('a body that is nested as deep as its bytes allow is refused like any other', async () => {
  const nested = '['.repeat(15_000) + ']'.repeat(15_000);
  for (const body of [nested, `{"name":${nested},"name":"x"}`]) expect((await put(body)).status).toBe(400);
});

describe('a body', () => {
  const program = { name: 'x', switchPoints: [] };

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'may be sent as %s',
    async (contentType) => {
      expect((await put(program, contentType)).status).toBe(202);
    },
  );

  test.each(['text/json', 'application/json; charset=latin1', 'application/merge-patch+json', ''])(
    'may not be sent as %j',
    async (contentType) => {
      expect((await put(program, contentType)).status).toBe(415);
    },
  );

  test('may be as large as the limit, and not a byte larger', async () => {
    const text = JSON.stringify(program);
    expect((await put(text.padEnd(maxBodyBytes))).status).toBe(202);
    expect((await put(text.padEnd(maxBodyBytes + 1))).status).toBe(413);
  });

  test.each([
    [
      '{"name":"x","switchPoints":[{"dayOfWeek":"monday","time":"24:00","setpoint":"eco"}]}',
      '/body/switchPoints/0/time',
    ],
    ['{"name":"","switchPoints":[]}', '/body/name'],
    ['{"switchPoints":[]}', '/body/name'],
    ['{"name":"x","name":"x","switchPoints":[]}', '/body/name'],
    [
      '{"name":"x","switchPoints":[{"dayOfWeek":"monday","time":"06:00","setpoint":"eco","\\u0074ime":"07:00"}]}',
      '/body/switchPoints/0/time',
    ],
    ['{"a/b~c":1,"a/b~c":1}', '/body/a~1b~0c'],
    ['[]', '/body'],
    ['null', '/body'],
    ['', '/body'],
  ])('%s is refused with a pointer to %s', async (text, pointer) => {
    const { status, body } = await put(text);
    expect(status).toBe(400);
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });
});
