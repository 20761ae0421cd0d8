import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { feedEventBody } from '../../../../lambdas/answers/pages.ts';
import type { OperationId } from '../../../../lambdas/api/endpoints/endpoints.ts';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';
import { listOpenChanges } from '../../../../lambdas/data/appliances/open-since-index.ts';
import { itemChangeOf } from '../../../../lambdas/data/store/stream-record.ts';
import { feedEventOf } from '../../../../lambdas/domain/feed-event.ts';
import { applianceEvents } from '../../../../lambdas/feed/appliance-events.ts';
import { requestedChangeMessage } from '../../../../lambdas/outbound/requested-change-message.ts';
import { validatorOf } from '../../../support/api-document.ts';
import { callsOf, type EquippedCompany, equipCompany, readsOfGateway } from '../../../support/call.ts';
import { campaign, playRounds } from '../../../support/campaign.ts';
import { applianceRecord } from '../../../support/feed.ts';
import { eventLike, readGatewayRows, take } from '../../../support/messages.ts';
import { openWorld, startMs } from '../../../support/world.ts';
import { anyReport, type GeneratedReport, likeReported, minuteMs } from './any-report.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const reportsInARound = 12;

const isKnownFeedEvent = validatorOf({ $ref: '#/components/schemas/KnownFeedEvent' });

const { components } = JSON.parse(readFileSync('docs/events.json', 'utf8'));
const ajv = new Ajv({ formats: { int32: true } });
addFormats.default(ajv);
const isRequestedChange = ajv.compile(components.messages['partner-api.change.requested.v1'].payload);

/** Processes a message, expects that it is neither refused nor failed, and checks the resulting feed events. */
const send = async (company: EquippedCompany, type: InboundEventType, data: object, nowMs: number, others = {}) => {
  const { gatewayId: subject, companyId } = company;
  const before = await readGatewayRows(subject);
  const event = { ...eventLike(type, { subject, id: randomUUID(), timeMs: nowMs }), data, ...others };
  const { logged, refused, failures, waiting } = await take('takeGatewayReports', [event], { arrivedAtMs: nowMs });
  expect([refused, failures, waiting], JSON.stringify(logged)).toEqual([[], [], []]);
  const rows = await readGatewayRows(subject);
  for (const sk of new Set([...before, ...rows].map((row) => String(row.sk)))) {
    const [old, row] = [before, rows].map((some) => some.find((each) => each.sk === sk));
    if (JSON.stringify(old) === JSON.stringify(row)) continue;
    const change = itemChangeOf(applianceRecord(1, old, row));
    for (const draft of applianceEvents(change)) {
      const body = JSON.parse(
        JSON.stringify(feedEventBody(feedEventOf({ ...draft, userId: 'owner' }, change, companyId))),
      );
      expect(isKnownFeedEvent(body), JSON.stringify([body, isKnownFeedEvent.errors])).toBe(true);
    }
  }
  return logged[0]?.outcome;
};

const heating = { family: 'heating', circuitId: 'c1' };
const program = { ...heating, timeProgramId: '1' };

/** Reports everything that the appliance has, without blocks. */
const recover = async (company: EquippedCompany, nowMs: number) => {
  const circuits = ['heating', 'dhw'].map((family) => ({ family, circuitId: 'c1', timeProgramIds: ['1', '2'] }));
  const features = ['heatingOverrides', 'dhwOverrides', 'holidays'];
  const limits = { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 };
  await send(company, 'gateway.described.v1', { circuits, features, limits }, nowMs);
  for (const name of ['heatingCircuits', 'heatingTimePrograms', 'dhwCircuits', 'dhwTimePrograms'])
    await send(company, 'function.unblocked.v1', { function: name }, nowMs);
  // A removed item exists again after its first report.
  for (const family of ['heating', 'dhw'])
    await send(company, 'circuit.reported.v1', { ...heating, family, reported: {} }, nowMs);
  await send(company, 'time-program.reported.v1', program, nowMs);
  await send(company, 'holiday.reported.v1', {}, nowMs);
};

type Followed = { readonly change: OperationId; readonly get: OperationId; readonly type: InboundEventType };

const changes: readonly (Followed & { readonly bodies: readonly object[] })[] = [
  {
    change: 'updateHeatingCircuit',
    get: 'getHeatingCircuit',
    type: 'circuit.reported.v1',
    bodies: [
      { operationMode: 'manual', roomSetpointCelsius: 19.5 },
      { operationMode: 'auto', roomSetpointCelsius: 22 },
    ],
  },
  {
    change: 'updateHeatingTimeProgram',
    get: 'getHeatingTimeProgram',
    type: 'time-program.reported.v1',
    bodies: ['Küche', 'Bad'].map((name) => ({
      name,
      switchPoints: [
        { dayOfWeek: 'friday', time: '22:00', setpoint: 'eco' },
        { dayOfWeek: 'monday', time: '06:30', setpoint: 'comfort' },
        { dayOfWeek: 'monday', time: '05:00', setpoint: name === 'Bad' ? 'off' : 'eco' },
      ],
    })),
  },
  {
    change: 'setHoliday',
    get: 'getHoliday',
    type: 'holiday.reported.v1',
    bodies: [16, 17.5].map((roomSetpointCelsius) => ({
      from: '2036-04-01T08:00:31.301Z',
      to: '2036-04-09T08:00:29Z',
      roomSetpointCelsius,
    })),
  },
];

/** Returns the values of a change in the form of a report of its type. */
const dataOf = (type: InboundEventType, values: object) => {
  if (type === 'circuit.reported.v1') return { ...heating, reported: values };
  return type === 'holiday.reported.v1' ? { holiday: values } : { ...program, ...values };
};

test(
  `any report is applied as documented, then a change is confirmed: ${reportsInARound} reports a round`,
  campaign,
  async (context) => {
    await playRounds(context, { test: 4, seconds: 60, full: 2000 }, async (seed) => {
      const company = await equipCompany(world.store);
      const ask = callsOf(company);
      let nowMs = startMs;
      const later = (minutes = 1) => {
        nowMs += minutes * minuteMs;
        return nowMs;
      };
      const reports: GeneratedReport[] = fc.sample(anyReport, { numRuns: reportsInARound, seed });
      for (const { type, data, timeOf, extras } of reports) {
        later();
        const outcome = await send(company, type, data, nowMs, { ...extras, time: timeOf(nowMs) });
        // A report may have only old times: at which the gateway was last seen, or at which something was measured.
        const mayBeOld = ['gateway.connectivity.v1', 'measurements.reported.v1'].includes(type);
        const isOld = mayBeOld && outcome === 'stale';
        if (!isOld) expect(['applied', 'applied-in-part', 'noted'], JSON.stringify(data)).toContain(outcome);
      }
      // `call` checks each answer against the API document. Items that a description does not list may be gone.
      for (const get of readsOfGateway) expect((await ask(get, { nowMs: later() })).status).toBeLessThan(500);
      const whole = { query: { include: ['circuits,timePrograms'] } };
      expect((await ask('getGateway', { nowMs: later(), ...whole })).status).toBe(200);

      await recover(company, later());
      for (const { change, get, type, bodies } of changes)
        for (const [index, body] of bodies.entries()) {
          const { status, body: answer } = await ask(change, { nowMs: later(), body });
          expect([status, answer]).toMatchObject([202, { state: 'pending' }]);
          const open = await listOpenChanges(world.store, company.gatewayId);
          for (const message of open.map((each) => JSON.parse(requestedChangeMessage(each).body)))
            expect(isRequestedChange(message), JSON.stringify([message, isRequestedChange.errors])).toBe(true);
          const isWithVersion = index === 0;
          const reported = dataOf(type, isWithVersion ? {} : likeReported(body, seed));
          const version = isWithVersion && type !== 'holiday.reported.v1' ? { fulfilsVersion: answer.version } : {};
          const values = isWithVersion && type === 'holiday.reported.v1' ? { holiday: body } : reported;
          await send(company, type, { ...values, ...version }, later());
          const read = await ask(get, { nowMs: later() });
          expect([read.status, read.body], JSON.stringify(values)).toMatchObject([200, { state: 'confirmed' }]);
        }
    });
  },
);
