import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exampleOf } from '../../../docs/generate/events-document.ts';
import { inboundEvents, inboundEventTypes } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { openSensorCelsius } from '../../../lambdas/api/limits.ts';
import { requestedChange } from '../../../lambdas/api/requested-change.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { StageQueue } from '../../../operator/integrations/integrations.ts';
import { eventLike, everythingStored, reportGateway, take } from '../../support/messages.ts';
import { operate, operateForJson, temporaryDirectory } from '../../support/operator.ts';
import { type OpenIntegrations, openIntegrations } from '../../support/operator-integrations.ts';
import { consistencyOf, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let opened: OpenIntegrations;
beforeAll(async () => {
  world = await openWorld();
  opened = await openIntegrations();
  return opened.close;
});
afterAll(() => world.proxy.begin());

const purge = (...queues: StageQueue[]) => Promise.all(queues.map(opened.purge));

const newGatewayId = () => `gw-${randomUUID()}`;

const because = ['--reason', 'an outage of the portal', '--yes'];
const options = (more: object = {}) => ({ ...world, connection: { integrations: opened.integrations, ...more } });
const queueActs = () => readAudit(world.store, 'PartnerApi-local/queues');
const bodiesIn = async (queue: StageQueue) =>
  (await opened.drain(queue)).map(({ Body = '' }) => JSON.parse(Body) as Record<string, unknown>);

/** An event with the current time by the clock of the queues. */
const eventOfNow = (type: Parameters<typeof eventLike>[0], subject: string) =>
  eventLike(type, { subject, timeMs: Date.now() - 1000 });

describe('integration status', () => {
  test('counts waiting, delayed, in-flight and dead messages, and exits with drift for dead letters', async () => {
    const empty = await operateForJson(['integration', 'status'], options());
    expect([empty.exit, empty.output.queues.map(({ queue }: { queue: string }) => queue)]).toEqual([
      'ok',
      ['portalEvents', 'gatewayReports', 'requestedChanges', 'webhookMessages'],
    ]);
    expect(empty.stderr).toContain('does not measure how long');
    await opened.send('gatewayReports', 'one');
    await opened.send('gatewayReports', 'two');
    await opened.send('gatewayReports', 'later', { delaySeconds: 900 });
    await opened.send('gatewayReports/deadLetters', 'three');
    await opened.send('undelivered', 'four');
    await opened.send('relayFailures', 'five');
    const { exit, output } = await operateForJson(['integration', 'status'], options());
    expect(exit).toBe('drift');
    const reports = { waiting: 2, delayed: 1, inFlight: 0, oldestSeconds: null, deadLetters: 1 };
    expect(output.queues[1]).toEqual({ queue: 'gatewayReports', ...reports });
    expect(output).toMatchObject({ undelivered: 1, relaySeconds: null, relayFailures: 1 });
    await purge('gatewayReports');
  });

  test('shows ages if they are measured', async () => {
    const lags = {
      oldest: { portalEvents: 61, gatewayReports: null, requestedChanges: 5, webhookMessages: null },
      relay: 1.5,
    };
    const integrations = { ...opened.integrations, readLags: async () => lags };
    const { output, stderr } = await operateForJson(['integration', 'status'], options({ integrations }));
    expect(output.queues.map(({ oldestSeconds }: { oldestSeconds: number }) => oldestSeconds)).toEqual([
      61,
      null,
      5,
      null,
    ]);
    expect([output.relaySeconds, stderr]).toEqual([1.5, '']);
  });
});

describe('integration send', () => {
  beforeEach(() => {
    opened.onBus.length = 0;
  });

  const inFolder = (content: string | object) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'event.json'), typeof content === 'string' ? content : JSON.stringify(content));
    return { ...options(), directory };
  };
  const send = (content: string | object, own: readonly string[] = because) =>
    operateForJson(['integration', 'send', 'event.json', ...own], inFolder(content));

  test('puts an event of the portal on its bus unchanged, after an audit row for its company', async () => {
    const { companyId, contract } = await onboard(world.store);
    const { userId } = contract;
    const event = eventLike('portal.consent.withdrawn.v1', { subject: companyId, data: { userId } });
    const { exit, output, stdout, stderr } = await send(event);
    expect([exit, output]).toEqual([
      'ok',
      { outcome: 'changed', type: event.type, eventId: event.id, subject: companyId, to: 'bus' },
    ]);
    expect(opened.onBus).toMatchObject([{ source: 'portal', detailType: event.type, detail: event }]);
    expect(
      (await readAudit(world.store, companyId)).filter(({ operation }) => operation === 'integration send'),
    ).toMatchObject([{ eventId: event.id, eventType: event.type, userId, reason: because[1] }]);
    expect(stdout + stderr).not.toContain(userId);
  });

  test('sends a report of a gateway to its queue, with an audit row for the gateway', async () => {
    const event = eventLike('function.blocked.v1', { subject: 'gw-sent' });
    expect((await send(event)).output).toMatchObject({ outcome: 'changed', subject: 'gw-sent', to: 'queue' });
    expect(await bodiesIn('gatewayReports')).toEqual([event]);
    expect(opened.onBus).toEqual([]);
    expect(await queueActs()).toContainEqual(
      expect.objectContaining({ operation: 'integration send', eventId: event.id, gatewayId: 'gw-sent' }),
    );
    const listed = await operateForJson(['audit', 'list', '--queues'], options());
    expect(listed.output.entries[0]).toMatchObject({
      operation: 'integration send',
      eventId: event.id,
      gatewayId: 'gw-sent',
    });
  });

  const good = eventLike('portal.consent.withdrawn.v1', { subject: 'acme' });

  test('sends nothing if the consumer would reject it, in a dry run, or without a file', async () => {
    const rows = (await queueActs()).length;
    for (const [content, words] of [
      ['{"type"', 'not-json'],
      [{ ...good, type: 'portal.consent.withdrawn.v2' }, 'function.blocked.v1'],
      [{ ...good, source: 'gateway-backend' }, '/source'],
      [{ ...good, data: {} }, '/data/userId'],
      [{ ...good, time: new Date(startMs + 61_000).toISOString() }, 'future-time'],
      [JSON.stringify(good).replace('{', '{"id":"x",'), 'repeated-property'],
    ] as const) {
      const { exit, stderr } = await send(content);
      expect([exit, stderr]).toEqual(['refused', expect.stringContaining(words)]);
    }
    expect((await send(good, ['--dry-run'])).output.outcome).toBe('would-change');
    expect((await operate(['integration', 'send', 'nowhere.json', ...because], options())).exit).toBe('not-found');
    expect([opened.onBus, await bodiesIn('gatewayReports'), (await queueActs()).length]).toEqual([[], [], rows]);
  });
});

describe('change', () => {
  const gatewayId = newGatewayId();
  beforeAll(() => reportGateway(world.store, gatewayId));

  test('list shows the changes that are open for longer than requested, the oldest first', async () => {
    const listOf = async (olderThan: string, own: readonly string[] = []) => {
      const { output } = await operateForJson(['change', 'list', '--older-than', olderThan, ...own], options());
      return output;
    };
    const ofGateway = ({ changes }: { changes: { gatewayId: string }[] }) =>
      changes.filter((each) => each.gatewayId === gatewayId).length;
    // The changes were requested half an hour ago.
    expect(ofGateway(await listOf('29m'))).toBe(2);
    expect(ofGateway(await listOf('30m'))).toBe(0);
    const { changes, hasMore } = await listOf('1m', ['--limit', '1']);
    expect([changes.length, hasMore]).toEqual([1, true]);
    expect((await operate(['change', 'list', '--older-than', 'hour'], options())).exit).toBe('usage');
  });

  test('resend sends all open changes of a gateway as the relay does, each time as a new delivery', async () => {
    const gatewayId = newGatewayId();
    const { contract } = await onboard(world.store, { companyId: 'acme' });
    await reportGateway(world.store, gatewayId);
    await grantGateway(world.store, contract, gatewayId, startMs);
    const resend = (id: string, own = because) => operateForJson(['change', 'resend', id, ...own], options());
    const { outcome, changes } = (await resend(gatewayId, ['--dry-run'])).output;
    expect([outcome, changes.length]).toEqual(['would-change', 2]);
    const none = { gatewayId: 'gw-nowhere', outcome: 'unchanged', changes: [] };
    expect((await resend('gw-nowhere')).output).toEqual(none);
    expect(await bodiesIn('requestedChanges')).toEqual([]);
    expect((await resend(gatewayId)).output).toMatchObject({
      gatewayId,
      outcome: 'changed',
      changes: [
        { item: 'circuit heating hc1', version: 2, companyId: 'acme', requestId: 'r', refusedAs: null },
        { item: 'time-program heating hc1 1', version: 2 },
      ],
    });
    const first = await bodiesIn('requestedChanges');
    expect(first).toHaveLength(2);
    // The time program of the scene is from a version that only stored a name.
    expect(requestedChange().safeParse(first[0]).error).toBeUndefined();
    expect(first[0]).toMatchObject({ subject: gatewayId, data: { version: 2, desired: { roomSetpointCelsius: 21 } } });
    await resend(gatewayId);
    expect(await bodiesIn('requestedChanges')).toEqual(first);
    expect((await queueActs()).filter((row) => row.gatewayId === gatewayId)).toHaveLength(2);
  });
});

describe('gateway show', () => {
  test('shows reported and requested values, blocks, the last refusal and the companies', async () => {
    const gatewayId = newGatewayId();
    await reportGateway(world.store, gatewayId);
    const { reported } = exampleOf('circuit.reported.v1').data as { reported: object };
    const values = { ...reported, roomTemperatureCelsius: openSensorCelsius, supplyTemperatureCelsius: 30.5 };
    const about = { subject: gatewayId, timeMs: startMs - 60_000 };
    const data = { reported: values, fulfilsVersion: 1 };
    const report = eventLike('circuit.reported.v1', { ...about, data });
    const refusal = eventLike('change.refused.v1', about);
    const energy = [2, 1, 3].map((day) =>
      eventLike('energy.reported.v1', { ...about, data: { day: `2036-03-0${day}` } }),
    );
    const hours = ['10T08', '09T23', '10T09'].map((hour) =>
      eventLike('hourly-energy.reported.v1', { ...about, data: { start: `2036-03-${hour}:00:00Z` } }),
    );
    const measurements = [{ name: 'waterPressure', value: 1500, unit: 'mbar' }];
    const measured = eventLike('measurements.reported.v1', { ...about, data: { measurements } });
    const { outcomes } = await take('takeGatewayReports', [report, refusal, ...energy, ...hours, measured]);
    expect(new Set(outcomes)).toEqual(new Set(['applied']));
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs - 1000);
    const { exit, output } = await operateForJson(['gateway', 'show', gatewayId], options());
    expect(exit).toBe('ok');
    expect(output).toMatchObject({
      gatewayId,
      gateway: { connectivity: 'offline', blocks: [{ function: expect.any(String), since: expect.any(String) }] },
      items: [
        {
          item: 'circuit heating hc1',
          version: 2,
          // The reading of an open sensor, as partners see it.
          reported: { roomTemperatureCelsius: null, supplyTemperatureCelsius: 30.5 },
          desired: { roomSetpointCelsius: 21 },
          requestedAt: '2036-03-10T11:30:00Z',
          lastRefusal: { version: 2, at: '2036-03-10T11:59:00Z' },
        },
        { item: 'time-program heating hc1 1', desired: { name: 'Short evenings' }, lastRefusal: null },
      ],
      periods: [
        { kind: 'energy', newest: '2036-03-03', reportedAt: '2036-03-10T11:59:00Z', stored: 3 },
        { kind: 'hours', newest: '2036-03-10T09:00Z', reportedAt: '2036-03-10T11:59:00Z', stored: 3 },
      ],
      measurements: [{ name: 'waterPressure', value: 1.5, unit: 'bar', measuredAt: '2036-03-10T11:59:00Z' }],
      companies: [{ companyId, grantedAt: '2036-03-10T11:59:59Z' }],
    });
    const { stdout } = await operate(['gateway', 'show', gatewayId], options());
    expect(stdout).toContain('roomSetpointCelsius 21');
    expect(stdout).toContain('roomTemperatureCelsius null');
  });

  test('shows features, override and holiday in words', async () => {
    const gatewayId = newGatewayId();
    const override = { roomSetpointCelsius: 23, until: '2036-03-10T13:00:00Z', since: '2036-03-10T11:00:00Z' };
    const holiday = { from: '2036-03-12T12:00:00Z', to: '2036-03-20T12:00:00Z', roomSetpointCelsius: 16 };
    await reportGateway(world.store, gatewayId);
    const { reported } = eventLike('circuit.reported.v1', {}).data as { reported: object };
    const circuit = { reported: { ...reported, override }, fulfilsVersion: undefined };
    await take('takeGatewayReports', [
      eventLike('circuit.reported.v1', { subject: gatewayId, data: circuit }),
      eventLike('holiday.reported.v1', { subject: gatewayId, data: { holiday } }),
    ]);
    const { stdout } = await operate(['gateway', 'show', gatewayId], options());
    expect(stdout).toContain('heatingOverrides, dhwOverrides, holidays');
    // The store does not keep the order of properties.
    expect(stdout).toMatch(/override \([^()]*until 2036-03-10T13:00:00Z[^()]*\)/);
    expect(stdout).toMatch(/holiday \([^()]*to 2036-03-20T12:00:00Z[^()]*\)/);
  });

  test('reports an undescribed gateway and an unknown gateway', async () => {
    const { companyId } = await onboard(world.store);
    const gatewayId = newGatewayId();
    await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
    const early = await operateForJson(['gateway', 'show', gatewayId], options());
    expect(early).toMatchObject({
      stderr: expect.stringContaining('has not described this gateway'),
      output: {
        gateway: null,
        items: [],
        periods: [],
        measurements: [],
        companies: [{ companyId }],
      },
    });
    expect((await operate(['gateway', 'show', 'gw-nowhere'], options())).exit).toBe('not-found');
  });

  test('reads strongly consistently: includes values that were just reported', async () => {
    const reads = await consistencyOf(() => operate(['gateway', 'show', 'gw-nowhere'], options()));
    expect(reads).toEqual(Array(6).fill(true));
  });
});

describe('integration dead', () => {
  beforeEach(() => purge('portalEvents/deadLetters', 'gatewayReports/deadLetters', 'undelivered', 'relayFailures'));

  const list = async (queue: string) => {
    const { output } = await operateForJson(['integration', 'dead', 'list', queue], options());
    return output.letters as { messageId: string; fault: string | null; subject: string | null; type: string | null }[];
  };

  const { userId } = eventLike('portal.consent.withdrawn.v1', {}).data as { userId: string };
  const withdrawalOf = (companyId: string) => eventOfNow('portal.consent.withdrawn.v1', companyId);

  test('list and show check an event against the current tables, as its consumer does', async () => {
    const [gatewayId, foreign, unknown] = [newGatewayId(), (await onboard(world.store)).companyId, 'nobody'];
    await reportGateway(world.store, gatewayId);
    const timeMs = Date.now() - 1000;
    const eventOf = (type: Parameters<typeof eventLike>[0], data: object = {}, subject = gatewayId) =>
      eventLike(type, { subject, timeMs, data });
    const ofItem = { family: 'heating', circuitId: 'hc1' };
    const refused = { item: { kind: 'circuit', ...ofItem } };
    const described = eventLike('gateway.described.v1', { subject: newGatewayId(), timeMs: timeMs - 60_000 });
    await take('takeGatewayReports', [described], { arrivedAtMs: Date.now() });
    const portalEvents = [
      [eventOf('portal.contract.opened.v1', {}, unknown), 'company-not-found'],
      [eventOf('portal.consent.accepted.v1', {}, unknown), 'company-not-found'],
      [eventOf('portal.consent.accepted.v1', { consentVersion: 5 }, foreign), 'unknown-consent-version'],
      [eventOf('portal.installation.removed.v1', {}, unknown), 'company-not-found'],
    ] as const;
    const needingGateway = inboundEventTypes.filter(
      (type) =>
        inboundEvents[type].subject === 'gatewayId' && type !== 'gateway.described.v1' && type !== 'gateway.removed.v1',
    );
    const gatewayReports = [
      ...needingGateway.map((type) => [eventOf(type, {}, unknown), 'gateway-not-found'] as const),
      [eventOf('change.refused.v1', { item: { kind: 'holiday' }, version: 1 }), 'version-not-found'],
      [eventOf('change.refused.v1', { ...refused, version: 3 }), 'version-not-found'],
      [eventOf('change.refused.v1', { ...refused, version: 1 }, described.subject), 'version-not-found'],
    ] as const;
    for (const [place, consumer, cases] of [
      ['portalEvents', 'takePortalEvents', portalEvents],
      ['gatewayReports', 'takeGatewayReports', gatewayReports],
    ] as const) {
      const faults = new Map<string, string>();
      for (const [event, outcome] of cases) {
        expect((await take(consumer, [event], { arrivedAtMs: Date.now() })).outcomes, event.type).toEqual([outcome]);
        faults.set(await opened.send(`${place}/deadLetters`, event), outcome);
      }
      const found = (await list(place)).map(({ messageId, fault }) => [messageId, fault?.split(': ')[0]] as const);
      expect(new Map(found)).toEqual(faults);
      const [[id, outcome] = ['', '']] = faults;
      const { output, stdout } = await operateForJson(['integration', 'dead', 'show', place, id], options());
      expect(output.fault).toMatch(`${outcome}: `);
      expect(output.fault + stdout.split('"text"')[0]).not.toContain(userId);
    }
  });

  test('list shows no fault for what could be applied now, and changes nothing', async () => {
    const gatewayId = newGatewayId();
    await reportGateway(world.store, gatewayId);
    const types = [
      'gateway.described.v1',
      'gateway.removed.v1',
      'gateway.connectivity.v1',
      'function.blocked.v1',
      'circuit.reported.v1',
      'time-program.reported.v1',
    ] as const;
    for (const type of types) await opened.send('gatewayReports/deadLetters', eventOfNow(type, gatewayId));
    const before = await everythingStored();
    expect((await list('gatewayReports')).map(({ fault }) => fault)).toEqual(types.map(() => null));
    expect(await everythingStored()).toEqual(before);
  });

  test('list shows ids and faults of messages, and makes them visible again', async () => {
    const { companyId } = await onboard(world.store, { userId });
    const event = withdrawalOf(companyId);
    await opened.send('portalEvents/deadLetters', event);
    await opened.send('portalEvents/deadLetters', { ...event, data: { userId: 'not an id' } });
    await opened.send('portalEvents/deadLetters', '{"type":');
    for (const _ of ['now', 'again']) {
      const letters = await list('portalEvents');
      expect(letters.map(({ fault }) => fault?.split(':')[0] ?? null).toSorted()).toEqual([
        'invalid',
        'not-json',
        null,
      ]);
      expect(letters.find(({ fault }) => fault === null)).toMatchObject({ subject: companyId, type: event.type });
    }
    const { stdout } = await operate(['integration', 'dead', 'list', 'portalEvents'], options());
    expect(stdout).not.toContain(userId);
    const limited = await operateForJson(['integration', 'dead', 'list', 'portalEvents', '--limit', '2'], options());
    expect([limited.output.letters.length, limited.stderr]).toEqual([2, expect.stringContaining('raise --limit')]);
    expect((await operate(['integration', 'dead', 'list', 'portal'], options())).exit).toBe('usage');
  });

  test('show has the text of a message, as its consumer would read it', async () => {
    const event = withdrawalOf((await onboard(world.store, { userId })).companyId);
    const envelope = { version: '0', 'detail-type': event.type, source: 'portal', detail: event };
    const id = await opened.send('undelivered', envelope);
    await opened.send('undelivered', envelope);
    const { output } = await operateForJson(['integration', 'dead', 'show', 'undelivered', id], options());
    expect(output).toMatchObject({ messageId: id, eventId: event.id, text: JSON.stringify(event), fault: null });
    expect(await list('undelivered')).toHaveLength(2);
    expect((await operate(['integration', 'dead', 'show', 'undelivered', 'another'], options())).exit).toBe(
      'not-found',
    );
  });

  test('drop deletes the named messages, each with an audit row, and keeps the others', async () => {
    const event = eventOfNow('function.blocked.v1', 'gw-1');
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) ids.push(await opened.send('gatewayReports/deadLetters', event));
    const [first = '', second = '', third = ''] = ids;
    const drop = (own: readonly string[]) =>
      operateForJson(['integration', 'dead', 'drop', 'gatewayReports', ...own], options());
    expect((await drop([first])).exit).toBe('usage');
    expect((await drop([first, '--reason', 'noise'])).exit).toBe('usage');
    expect((await drop([first, 'another', ...because])).exit).toBe('not-found');
    expect((await drop([first, '--dry-run'])).output.outcome).toBe('would-change');
    expect(await list('gatewayReports')).toHaveLength(3);
    const { exit, output } = await drop([first, third, ...because]);
    expect([exit, output.letters.map(({ messageId }: { messageId: string }) => messageId).toSorted()]).toEqual([
      'ok',
      [first, third].toSorted(),
    ]);
    expect((await list('gatewayReports')).map(({ messageId }) => messageId)).toEqual([second]);
    expect((await drop(because)).exit).toBe('usage');
    expect((await drop([second, '--all', ...because])).exit).toBe('usage');
    const rows = (await queueActs()).filter(({ messageId }) => ids.includes(String(messageId)));
    expect(rows.map(({ messageId, eventId, queue }) => [messageId, eventId, queue]).toSorted()).toEqual(
      [first, third].map((id) => [id, event.id, 'gatewayReports']).toSorted(),
    );
    expect((await drop(['--all', ...because])).output.letters).toMatchObject([{ messageId: second }]);
    expect((await drop(['--all', ...because])).output).toMatchObject({ outcome: 'unchanged', letters: [] });
  });
});
