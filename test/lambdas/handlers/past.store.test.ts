import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { energyOfMonth } from '../../../lambdas/data/appliances/energy.ts';
import { hoursOfDay } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../../../lambdas/data/appliances/measurements.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { consentGivenAt } from '../../../lambdas/domain/consent.ts';
import { addDays, newestDayAt } from '../../../lambdas/domain/energy.ts';
import { toDate, toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, installGateway } from '../../support/appliance.ts';
import { addOwner, type CallOptions, call, equipCompany, goodCall } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { operate } from '../../support/operator.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const longAgoMs = startMs - 20 * dayMs;

/** Returns the time this many minutes before `startMs`, when tests read. */
const ago = (minutes: number): number => startMs - minutes * minuteMs;

/** An act that ends or begins access, of the owner or of the operator. */
type Act = {
  readonly what: keyof ReturnType<typeof actsOf>;
  readonly atMs: number;
  /** How much the sender's clock is ahead. */
  readonly aheadMs?: number;
  /** When the event arrives, if it is not at once. */
  readonly arrivesAtMs?: number;
};

const act = (what: Act['what'], atMs: number, others: Partial<Act> = {}): Act => ({ what, atMs, ...others });

type Company = Awaited<ReturnType<typeof equipCompany>>;
type Told = Required<Pick<Act, 'atMs' | 'aheadMs' | 'arrivesAtMs'>>;

const actsOf = (company: Company, gatewayId: string, nextOwner: string) => {
  const { companyId, contract } = company;
  const portal =
    (type: Parameters<typeof eventLike>[0], data: object = {}) =>
    async ({ atMs, aheadMs, arrivesAtMs }: Told) => {
      const event = eventLike(type, {
        subject: companyId,
        id: randomUUID(),
        timeMs: atMs + aheadMs,
        data: { userId: contract.userId, ...data },
      });
      const { logged } = await take('takePortalEvents', [event], { arrivedAtMs: arrivesAtMs });
      expect(logged[0]?.outcome).toMatch(/^(applied|noted)$/);
    };
  const operator =
    (...[noun, verb, ...others]: string[]) =>
    async ({ atMs }: Told) => {
      const commandLine = [`${noun}`, `${verb}`, companyId, ...others, '--yes', '--reason', 'ticket 8'];
      const { exit, stderr } = await operate(commandLine, { ...world, nowMs: atMs });
      expect([exit, stderr]).toEqual(['ok', expect.anything()]);
    };
  const ofOwner = ['--user', contract.userId];
  return {
    withdraws: portal('portal.consent.withdrawn.v1'),
    accepts: portal('portal.consent.accepted.v1', { consentVersion: 3 }),
    'accepts older terms': portal('portal.consent.accepted.v1', { consentVersion: 2 }),
    'accepts newer terms': portal('portal.consent.accepted.v1', { consentVersion: 4 }),
    ends: portal('portal.contract.ended.v1'),
    opens: portal('portal.contract.opened.v1'),
    revokes: portal('portal.installation.removed.v1', { gatewayId }),
    grants: portal('portal.installation.added.v1', { gatewayId }),
    'the next owner grants': portal('portal.installation.added.v1', { gatewayId, userId: nextOwner }),
    'the operator withdraws': operator('consent', 'withdraw', ...ofOwner),
    'the operator accepts': operator('consent', 'accept', ...ofOwner),
    'the operator ends': operator('contract', 'end', ...ofOwner),
    'the operator opens': operator('contract', 'open', ...ofOwner),
    'the operator revokes': operator('gateway', 'revoke', gatewayId, ...ofOwner),
    'the operator grants': operator('gateway', 'grant', gatewayId, ...ofOwner),
    'the operator suspends': operator('company', 'suspend'),
    'the operator resumes': operator('company', 'resume'),
  };
};

/** Returns a company whose access to a gateway began long ago, what can happen to its access, and what it reads. */
const openScene = async (sinceMs = longAgoMs, consentVersion = 3) => {
  const company = await equipCompany(world.store, { sinceMs, ...consentGivenAt(consentVersion, sinceMs) });
  const { gatewayId } = await installGateway(world.store);
  await grantGateway(world.store, partiesOf(company.companyId), gatewayId, sinceMs);
  const next = await addOwner(world.store, company);
  const acts = actsOf(company, gatewayId, next.contract.userId);
  const read = (operationId: 'getMeasurements' | 'getHourlyEnergy' | 'getEnergy', options: CallOptions = {}) =>
    call(operationId, { ...goodCall(operationId, company), pathParameters: { gatewayId }, ...options });
  return {
    company,
    gatewayId,
    read,
    nextOwner: { headers: { 'x-user-id': [next.contract.userId] } },
    play: async (history: readonly Act[]) => {
      for (const { what, atMs, aheadMs = 0, arrivesAtMs = atMs } of history)
        await acts[what]({ atMs, aheadMs, arrivesAtMs });
    },
    readAll: async (options: CallOptions = {}) => ({
      measurements: namesIn(await read('getMeasurements', options)),
      hours: startsIn(
        await read('getHourlyEnergy', { query: { from: [toTimestamp(hoursOfTest[0] as number)] }, ...options }),
      ),
      days: daysIn(await read('getEnergy', { query: { from: [daysOfTest[0] as string] }, ...options })),
    }),
  };
};

type Answer = Awaited<ReturnType<typeof call>>;
const namesIn = ({ body }: Answer): string[] => body.measurements.map(({ name }: { name: string }) => name);
const startsIn = ({ body }: Answer): number[] => body.hours.map(({ start }: { start: string }) => Date.parse(start));
const daysIn = ({ body }: Answer): string[] => body.days.map(({ day }: { day: string }) => day);

const measuredAt = Array.from({ length: 48 }, (_, index) => ago(index * 30));
const hoursOfTest = Array.from({ length: 60 }, (_, index) => ago((60 - index) * 60));
const daysOfTest = Array.from({ length: 19 }, (_, index) => addDays(toDate(startMs), index - 18));

const nameOf = (atMs: number): string => `measured-${(startMs - atMs) / minuteMs}`;

/** Lets a gateway have a measurement of each half an hour of the last day, hours of two days, and days of three weeks. */
const reportPast = async (gatewayId: string) => {
  const times = factTimesAt(startMs);
  const measurements = measuredAt.map((atMs) => [`${nameOf(atMs)}\n`, { value: 1, atMs }] as const);
  await reportMeasurements(world.store, gatewayId, Object.fromEntries(measurements), times);
  const hours = hoursOfTest.map((startMs) => ({ start: toTimestamp(startMs), dhw: { heatKwh: 1 } }));
  for (const ofDay of Map.groupBy(hours, ({ start }) => start.slice(0, 10)).values())
    await put(hoursOfDay(gatewayId, ofDay, times));
  await reportDays(gatewayId, daysOfTest);
};

const reportDays = async (gatewayId: string, days: readonly string[]) => {
  const told = days.map((day) => ({ day, dhw: { heatKwh: 1 } }));
  for (const ofMonth of Map.groupBy(told, ({ day }) => day.slice(0, 7)).values())
    await put(energyOfMonth(gatewayId, ofMonth, factTimesAt(startMs)));
};

const put = (Item: object) =>
  world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item }));

/** What a company reads that sees the gateway since then. */
const shownSince = (sinceMs: number) => ({
  measurements: measuredAt
    .filter((atMs) => atMs > sinceMs)
    .map(nameOf)
    .toSorted(),
  hours: hoursOfTest.filter((atMs) => atMs >= sinceMs),
  days: daysOfTest.filter((day) => day >= newestDayAt(sinceMs)),
});

describe('a company sees what a gateway measured since', () => {
  const early = 1200;
  test.each<[string, readonly Act[], number]>([
    ['its access began, if nothing ended it', [], longAgoMs],
    ['consent was given after a withdrawal', [act('withdraws', ago(early)), act('accepts', ago(600))], ago(600)],
    [
      'consent was given in the minute of its withdrawal',
      [act('withdraws', ago(600)), act('accepts', ago(600) + 1)],
      ago(600) + 1,
    ],
    [
      'the last consent after a withdrawal, not after an earlier one',
      [
        act('withdraws', ago(early)),
        act('accepts', ago(900)),
        act('withdraws', ago(600)),
        act('accepts', ago(300)),
        act('accepts newer terms', ago(100)),
      ],
      ago(300),
    ],
    [
      'consent to older terms was given after a withdrawal, and renewed later',
      [act('withdraws', ago(early)), act('accepts older terms', ago(600)), act('accepts', ago(300))],
      ago(600),
    ],
    [
      'consent was given whose withdrawal arrived late',
      [act('accepts', ago(600)), act('withdraws', ago(early), { arrivesAtMs: ago(300) })],
      ago(600),
    ],
    [
      'the receipt of consent, by a clock that is a minute ahead',
      [act('withdraws', ago(early), { aheadMs: minuteMs }), act('accepts', ago(600), { aheadMs: minuteMs })],
      ago(600),
    ],
    [
      'the receipt of consent, by a clock that is a minute behind',
      [act('withdraws', ago(early), { aheadMs: -minuteMs }), act('accepts', ago(600), { aheadMs: -minuteMs })],
      ago(600),
    ],
    [
      'the receipt of consent that arrived late',
      [act('withdraws', ago(early)), act('accepts', ago(900), { arrivesAtMs: ago(600) })],
      ago(600),
    ],
    [
      'the operator recorded consent after a withdrawal',
      [act('the operator withdraws', ago(early)), act('the operator accepts', ago(600))],
      ago(600),
    ],
    ['the contract was opened after its end', [act('ends', ago(early)), act('opens', ago(600))], ago(600)],
    [
      'the operator opened the contract after its end',
      [act('the operator ends', ago(early)), act('the operator opens', ago(600))],
      ago(600),
    ],
    ['the owner granted the gateway again', [act('revokes', ago(early)), act('grants', ago(600))], ago(600)],
    [
      'the operator granted the gateway again',
      [act('the operator revokes', ago(early)), act('the operator grants', ago(600))],
      ago(600),
    ],
    [
      'the gateway came back from another owner',
      [act('the next owner grants', ago(early)), act('grants', ago(600))],
      ago(600),
    ],
    [
      'the last of consent, contract and grant',
      [
        act('withdraws', ago(early)),
        act('ends', ago(early)),
        act('revokes', ago(early)),
        act('grants', ago(900)),
        act('accepts', ago(600)),
        act('opens', ago(300)),
      ],
      ago(300),
    ],
    [
      'its access began, although it was suspended: no owner ended anything',
      [act('the operator suspends', ago(early)), act('the operator resumes', ago(600))],
      longAgoMs,
    ],
    [
      'its access began, although consent and contract were given twice',
      [act('accepts', ago(early)), act('opens', ago(600)), act('accepts newer terms', ago(300))],
      longAgoMs,
    ],
  ])('%s', async (_, history, sinceMs) => {
    const { gatewayId, play, readAll, read } = await openScene();
    await play(history);
    await reportPast(gatewayId);
    expect(await readAll()).toEqual(shownSince(sinceMs));
    const { body } = await read('getEnergy', { nowMs: startMs + minuteMs });
    expect(body.availableFrom).toBe(newestDayAt(sinceMs));
  });

  test('the next owner granted it', async () => {
    const { gatewayId, play, readAll, nextOwner } = await openScene();
    await play([act('the next owner grants', ago(600))]);
    await reportPast(gatewayId);
    // Their contract and consent are newer than the grant.
    expect(await readAll(nextOwner)).toEqual(shownSince(startMs));
  });
});

test('consent that was outdated and renewed after a week hides nothing: two years of days are shown', async () => {
  const agoDays = (days: number) => startMs - days * dayMs;
  const { gatewayId, play, read } = await openScene(agoDays(800), 2);
  const all = Array.from({ length: 730 }, (_, index) => addDays(toDate(startMs), index - 729));
  await reportDays(gatewayId, all);
  expect((await read('getEnergy')).body.code).toBe('consent-outdated');
  await play([act('accepts', ago(30))]);
  const firstYear = { from: [all[0] as string], to: [all[364] as string] };
  const answers = [
    await read('getEnergy', { query: firstYear, nowMs: startMs + minuteMs }),
    await read('getEnergy', { query: { from: [all[365] as string] }, nowMs: startMs + 2 * minuteMs }),
  ];
  expect(answers.flatMap(daysIn)).toEqual(all);
});

describe('a measurement by a clock that is a minute ahead', () => {
  const measure = async (gatewayId: string, arrivedAtMs: number, aheadMs: number, receiveCount = 1) => {
    const time = new Date(arrivedAtMs + aheadMs).toISOString();
    const data = { measurements: [{ name: 'burner', state: 'on', measuredAt: time }] };
    const event = { ...eventLike('measurements.reported.v1', { subject: gatewayId, id: 'one', data }), time };
    const { outcomes } = await take('takeGatewayReports', [event], { arrivedAtMs, receiveCount });
    return outcomes[0];
  };

  test.each([
    ['is not shown to a company whose access began meanwhile', 5000, []],
    ['is shown to others, with the time of its arrival', -1, ['burner']],
  ])('%s', async (_, afterMs, shown) => {
    const { gatewayId, play, read } = await openScene();
    await play([act('withdraws', ago(early))]);
    const accepted = act('accepts', ago(600) + afterMs);
    if (afterMs < 0) await play([accepted]);
    expect(await measure(gatewayId, ago(600), minuteMs)).toBe('applied');
    if (afterMs >= 0) await play([accepted]);
    // The queue delivers it again.
    expect(await measure(gatewayId, ago(600), minuteMs, 2)).toBe('stale');
    const answer = await read('getMeasurements');
    expect(namesIn(answer)).toEqual(shown);
    for (const each of answer.body.measurements) expect(each.measuredAt).toBe(toTimestamp(ago(600)));
  });
  const early = 1200;
});
