import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../lambdas/api/endpoints/endpoints.ts';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';
import { callsOf, type EquippedCompany, equipCompany } from '../../../support/call.ts';
import { campaign } from '../../../support/campaign.ts';
import { eventLike, take } from '../../../support/messages.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let company: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
  company = await equipCompany(world.store);
});

const dayMs = 86_400_000;
const firstMs = startMs + 4 * dayMs;

type Period = {
  readonly type: InboundEventType;
  readonly get: OperationId;
  readonly list: string;
  /** The name of a period in events and answers, and its value for a number. */
  readonly name: string;
  readonly periodOf: (index: number) => string;
};

const periods: readonly Period[] = [
  {
    type: 'energy.reported.v1',
    get: 'getEnergy',
    list: 'days',
    name: 'day',
    periodOf: (index) => new Date(firstMs - dayMs * (1 + (index % 2))).toISOString().slice(0, 10),
  },
  {
    type: 'hourly-energy.reported.v1',
    get: 'getHourlyEnergy',
    list: 'hours',
    name: 'start',
    periodOf: (index) => new Date(firstMs - 3_600_000 * (1 + (index % 3))).toISOString().replace('.000', ''),
  },
];

const measured = {
  heating: { electricityKwh: 4, fuelKwh: 1, heatKwh: 12 },
  dhw: { electricityKwh: 2, fuelKwh: 3, heatKwh: 5 },
  cooling: { electricityKwh: 6, fuelKwh: 7, removedHeatKwh: 8 },
} as const;
const corrected = {
  heating: { electricityKwh: 4.5, fuelKwh: 1.5, heatKwh: 12.5 },
  dhw: { electricityKwh: 2.5, fuelKwh: 3.5, heatKwh: 5.5 },
  cooling: { electricityKwh: 6.5, fuelKwh: 7.5, removedHeatKwh: 8.5 },
} as const;
type Purpose = keyof typeof measured;
const purposes = Object.keys(measured) as Purpose[];

const noQuantity = ['13,2', '13.2', 'much', '', [], {}, true, [13], { value: 13 }, 1e9, -1e9];
const noPurpose = ['13,2', 13, [], true, [{ heatKwh: 3 }]];

let minutes = 0;

const openScene = ({ type, get, list, name, periodOf }: Period) => {
  const period = periodOf(minutes);
  return {
    /** Reports the period; returns the outcome, and the period as it is shown. */
    report: async (uses: object) => {
      const nowMs = firstMs + 60_000 * ++minutes;
      const event = eventLike(type, { subject: company.gatewayId, id: randomUUID(), timeMs: nowMs });
      const message = { ...event, data: { [name]: period, ...uses } };
      const { logged, refused, failures } = await take('takeGatewayReports', [message], { arrivedAtMs: nowMs });
      expect([refused, failures]).toEqual([[], []]);
      const { body } = await callsOf(company)(get, { nowMs });
      const found = body[list].find((each: Readonly<Record<string, unknown>>) => each[name] === period);
      return { outcome: logged[0]?.outcome, shown: found };
    },
  };
};

describe.each(periods)('$type', (period) => {
  test.each(
    purposes.flatMap((purpose) => Object.keys(measured[purpose]).map((quantity) => [purpose, quantity] as const)),
  )('a correction that cannot be read of %s %s corrects the others alone', campaign, async (purpose, quantity) => {
    const { report } = openScene(period);
    for (const form of noQuantity) {
      await report(measured);
      const partly = { ...corrected, [purpose]: { ...corrected[purpose], [quantity]: form } };
      const { outcome, shown } = await report(partly);
      const known = (measured[purpose] as Readonly<Record<string, number>>)[quantity];
      expect([outcome, shown], JSON.stringify(form)).toMatchObject([
        'applied-in-part',
        { ...corrected, [purpose]: { ...corrected[purpose], [quantity]: known } },
      ]);
    }
  });

  test.each(purposes)('a correction that cannot be read of %s keeps all of it', async (purpose) => {
    const { report } = openScene(period);
    for (const form of noPurpose) {
      await report(measured);
      const { outcome, shown } = await report({ ...corrected, [purpose]: form });
      expect([outcome, shown], JSON.stringify(form)).toMatchObject([
        'applied-in-part',
        { ...corrected, [purpose]: measured[purpose] },
      ]);
    }
  });

  test('a correction with null, or without a quantity, says that it is not measured', async () => {
    const { report } = openScene(period);
    const nothing = { electricityKwh: null, fuelKwh: null, heatKwh: null };
    for (const leftOut of [null, undefined]) {
      await report(measured);
      const uses = {
        ...corrected,
        heating: { ...corrected.heating, heatKwh: leftOut },
        dhw: leftOut,
        cooling: leftOut,
      };
      expect((await report(uses)).shown).toMatchObject({
        heating: { ...corrected.heating, heatKwh: null },
        dhw: nothing,
        cooling: null,
      });
    }
    await report(measured);
    const { outcome, shown } = await report({ heating: { electricityKwh: null, heatKwh: 'much' }, dhw: 'much' });
    expect([outcome, shown]).toMatchObject([
      'applied-in-part',
      { heating: { ...nothing, heatKwh: 12 }, dhw: measured.dhw, cooling: null },
    ]);
  });

  test('a report of which nothing can be used stores nothing', async () => {
    const { report } = openScene(period);
    const { shown: before } = await report(measured);
    for (const uses of [
      { heating: 'much' },
      { heating: { heatKwh: '13,2' } },
      { heating: '13,2', dhw: { electricityKwh: 'x' }, cooling: 5 },
      { heating: {}, dhw: { heatKwh: [] } },
    ])
      expect(await report(uses), JSON.stringify(uses)).toEqual({ outcome: 'noted', shown: before });
  });
});
