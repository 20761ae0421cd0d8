import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { gatewayBody } from '../../../lambdas/answers/appliances.ts';
import { gateway as gatewaySchema } from '../../../lambdas/api/schemas/gateway.ts';
import { readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import { installGateway } from '../../support/appliance.ts';
import { eventLike, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const timeMs = startMs - 60_000;
const time = '2036-03-10T11:59:00Z';

/** Returns the answer of GET for the gateway after the event; expects this outcome, and a documented answer. */
const shownAfter = async (
  type: 'fault.reported.v1' | 'function.blocked.v1' | 'gateway.described.v1',
  gatewayId: string,
  data: object,
  outcome = 'applied',
): Promise<ReturnType<typeof gatewayBody>> => {
  const event = eventLike(type, { subject: gatewayId, timeMs });
  const { outcomes } = await take('takeGatewayReports', [{ ...event, data }]);
  expect(outcomes).toEqual([outcome]);
  const [gateway] = (await readGateways(world.store, [gatewayId])) as [Gateway];
  const body = gatewayBody(gateway, startMs);
  expect(gatewaySchema().safeParse(body).error).toBeUndefined();
  return body;
};

describe('a fault is shown', () => {
  const plain = { code: 'E-17', componentId: null, severity: 'fault', text: null, since: time };

  test.each<[string, object, object]>([
    ['with only its code', { code: 'E-17' }, plain],
    [
      'with nulls, which count as absent',
      { code: 'E-17', componentId: null, severity: null, text: null, since: null },
      plain,
    ],
    ['with empty texts, which count as absent', { code: 'E-17', componentId: '', text: '\n' }, plain],
    [
      'with all its properties',
      { code: 'F.28', componentId: '1', severity: 'warning', text: 'Low pressure.', since: '2036-03-10T10:00:00Z' },
      { code: 'F.28', componentId: '1', severity: 'warning', text: 'Low pressure.', since: '2036-03-10T10:00:00Z' },
    ],
    ['as maintenance', { code: 'S.3', severity: 'maintenance' }, { ...plain, code: 'S.3', severity: 'maintenance' }],
    ['with a severity that is not known', { code: 'E-17', severity: 'lockout' }, { ...plain, severity: 'lockout' }],
    [
      'with a start time that has an offset',
      { code: 'E-17', since: '2036-03-10T11:00:00.1234567+01:00' },
      { ...plain, since: '2036-03-10T10:00:00.123Z' },
    ],
    ['not since a time after its report', { code: 'E-17', since: '2040-01-01T00:00:00Z' }, plain],
    [
      'with a text of several lines',
      { code: 'E-17', text: ' Fault\r\n\tof the fan ' },
      { ...plain, text: 'Fault of the fan' },
    ],
    ['with a text of another script', { code: 'E-17', text: '\u2067תקלה\u2069' }, { ...plain, text: 'תקלה' }],
    ['with a long text, which is cut', { code: 'E-17', text: 'x'.repeat(501) }, { ...plain, text: 'x'.repeat(500) }],
    ['with a long code, which is cut', { code: 'x'.repeat(65) }, { ...plain, code: 'x'.repeat(64) }],
    ['with a code of another script', { code: 'Ошибка 5' }, { ...plain, code: 'Ошибка 5' }],
    ['with a code that is cleaned', { code: 'E-17\u200f' }, plain],
    ...['__proto__', 'constructor', 'connectivity', 'E"17', 'E-17 #1', '💧'].map((code): [string, object, object] => [
      `with the code ${code}`,
      { code },
      { ...plain, code },
    ]),
    ['without properties that this version does not know', { code: 'E-17', advice: 'Call us.' }, plain],
  ])('%s', async (_, data, expected) => {
    const { gatewayId } = await installGateway(world.store);
    expect((await shownAfter('fault.reported.v1', gatewayId, data)).faults).toEqual([expected]);
    const { code, componentId } = data as { readonly code: string; readonly componentId?: string | null };
    const cleared = {
      ...eventLike('fault.cleared.v1', { subject: gatewayId, timeMs: timeMs + 1 }),
      data: { code, componentId },
    };
    expect((await take('takeGatewayReports', [cleared])).outcomes).toEqual(['applied']);
    const [gateway] = await readGateways(world.store, [gatewayId]);
    expect(gateway?.faults).toEqual([]);
  });

  test.each([[{}], [{ code: null }], [{ code: '' }], [{ code: '\u200e \n' }], [{ code: 17 }]])(
    'only with a code: %j is refused',
    async (data) => {
      const { gatewayId } = await installGateway(world.store);
      for (const type of ['fault.reported.v1', 'fault.cleared.v1'] as const)
        expect(
          (await take('takeGatewayReports', [{ ...eventLike(type, { subject: gatewayId }), data }])).outcomes,
        ).toEqual(['invalid']);
    },
  );
});

test.each<[object, object]>([
  [{ severity: 7 }, { severity: 'fault' }],
  [{ severity: '' }, { severity: 'fault' }],
  [{ text: ['Fan.'] }, { text: null }],
  [{ since: '2036-03-10 11:00' }, { since: time }],
  [{ componentId: 1 }, { componentId: null }],
])('a fault with an unusable part is shown without that part: %j', async (part, shown) => {
  const { gatewayId } = await installGateway(world.store);
  const { faults } = await shownAfter('fault.reported.v1', gatewayId, { code: 'E-17', ...part }, 'applied-in-part');
  expect(faults).toMatchObject([{ code: 'E-17', ...shown }]);
});

test('a block with a start time after its report is shown since the report', async () => {
  const { gatewayId } = await installGateway(world.store);
  const data = { function: 'dhwCircuits', since: '2040-01-01T00:00:00Z' };
  const { blockedFunctions } = await shownAfter('function.blocked.v1', gatewayId, data);
  expect(blockedFunctions).toEqual([{ function: 'dhwCircuits', blockedSince: time, blockedUntil: null }]);
});

describe('the time zone of a home', () => {
  const describes = async (timeZone: unknown, outcome?: string) => {
    const { gatewayId } = await installGateway(world.store, { timeZone: 'Asia/Tokyo' });
    const { data } = eventLike('gateway.described.v1', { subject: gatewayId });
    return shownAfter('gateway.described.v1', gatewayId, { ...data, name: 'New', timeZone }, outcome);
  };

  test.each([
    ...['Europe/Berlin', 'Etc/UTC', 'UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5'],
    'America/Argentina/Buenos_Aires',
  ])('is shown: %s', async (timeZone) => {
    expect((await describes(timeZone)).timeZone).toBe(timeZone);
  });

  test.each([undefined, null])('is unchanged if a description has %s', async (none) => {
    expect(await describes(none)).toMatchObject({ name: 'New', timeZone: 'Asia/Tokyo' });
  });

  test.each(['Mars/Olympus', '+01:00', 'UTC+1', '', 'x'.repeat(65), 60, 'Europe/Berlin '])(
    'is unchanged if a description has %j, and the rest of the description is applied',
    async (unknown) => {
      expect(await describes(unknown, 'applied-in-part')).toMatchObject({ name: 'New', timeZone: 'Asia/Tokyo' });
    },
  );

  test('is null if no description contained it', async () => {
    const { data } = eventLike('gateway.described.v1', {});
    const { timeZone: _, ...others } = data as { readonly timeZone?: string };
    expect((await shownAfter('gateway.described.v1', `gw-${randomUUID()}`, others)).timeZone).toBeNull();
  });
});
