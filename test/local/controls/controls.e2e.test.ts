import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toDate } from '../../../lambdas/domain/time.ts';
import type { ControlName } from '../../../local/controls/controls.ts';
import { sendControl } from '../../../local/controls/send-control.ts';
import { webhookMessagesFile } from '../../../local/demo/webhook-message-log.ts';
import { secretsFile } from '../../../local/demo/webhook-receiver.ts';
import type { PartnerClient } from '../../../partner/client/partner-client.ts';
import { proven } from '../../support/campaign.ts';
import { done, partnerOf, refused } from '../../support/partner.ts';
import { companyOf, openService, type Service } from '../../support/service.ts';
import { eventually } from '../../support/time.ts';

let service: Service;
let acme: PartnerClient;
let webhookId: string;
beforeAll(async () => {
  service = await openService();
  acme = partnerOf(service, 'acme');
  webhookId = await verifiedWebhook();
});
afterAll(() => service?.close());

const path = { gatewayId: 'gw-1001' };
const circuitPath = { path: { ...path, circuitId: 'hc1' } };

const control = (name: ControlName, ...words: string[]) => sendControl(service.directory, { name, words });

const verifiedWebhook = async (): Promise<string> => {
  const [host] = service.local.receiverHosts;
  const created = (await done(acme.call('createWebhook', { body: { url: `https://${host}/heating` } }))).body;
  writeFileSync(join(service.directory, secretsFile), created.secret);
  const code = await eventually(() => {
    const lines = readFileSync(join(service.directory, webhookMessagesFile), 'utf8').trim().split('\n');
    const bodies = lines.filter(Boolean).map((line) => JSON.parse(JSON.parse(line).body));
    const message = bodies.find(({ type }) => type === 'webhook.verify');
    if (!message) throw new Error('No code has arrived.');
    return message.data.code as string;
  });
  const verification = { path: { webhookId: created.webhookId }, body: { code } };
  await done(acme.call('verifyWebhook', verification));
  return created.webhookId;
};

const gateway = async () => (await done(acme.call('getGateway', { path }))).body;
const circuit = async () => (await done(acme.call('getHeatingCircuit', circuitPath))).body;
const webhook = async () => (await done(acme.call('getWebhook', { path: { webhookId } }))).body;
const setpoint = (roomSetpointCelsius: number) =>
  acme.call('updateHeatingCircuit', { ...circuitPath, body: { roomSetpointCelsius } });
const ownKey = async () => (await done(acme.call('getOwnApiKey', {}))).body;
const today = () => toDate(Date.now());
const heatOfToday = async () => {
  const { days } = (await done(acme.call('getEnergy', { path, query: { from: today() } }))).body;
  return Number(days.find(({ day }) => day === today())?.heating.heatKwh);
};

const latest = async () => (await done(acme.call('listEvents', { query: { after: 'latest' } }))).body.nextCursor;

/** Resolves when the feed has events of these types after the cursor. */
const eventsAfter = (cursor: string, types: readonly string[]) =>
  eventually(async () => {
    const { items } = (await done(acme.call('listEvents', { query: { after: cursor, limit: 100 } }))).body;
    expect(items.map(({ type }) => type)).toEqual(expect.arrayContaining([...types]));
  }, 500);

let oldCursor: string;
let heatBefore: number;

type Promised = {
  readonly words: readonly string[];
  /** The types of events that the feed has afterwards. */
  readonly events: readonly string[];
  /** Checks what a partner reads afterwards. */
  readonly seen: () => Promise<unknown>;
};

/** What each row promises, in an order that one run can play. */
const promises: Readonly<Record<ControlName, Promised>> = {
  offline: {
    words: ['gw-1001'],
    events: ['gateway.connectivity_changed'],
    seen: async () => {
      expect(await gateway()).toMatchObject({ connectivity: 'offline' });
      expect((await done(setpoint(22))).body).toMatchObject({ state: 'pending', connectivity: 'offline' });
    },
  },
  online: {
    words: ['gw-1001'],
    events: ['gateway.connectivity_changed', 'circuit.changed'],
    seen: async () => {
      expect(await gateway()).toMatchObject({ connectivity: 'online' });
      await eventually(async () =>
        expect(await circuit()).toMatchObject({ state: 'confirmed', roomSetpointCelsius: 22 }),
      );
    },
  },
  refuse: {
    words: ['gw-1001'],
    events: ['circuit.changed'],
    seen: async () => {
      expect((await done(setpoint(23))).body).toMatchObject({ state: 'pending' });
      const refusal = { state: 'pending', lastRefusal: { reason: expect.any(String) } };
      await eventually(async () => expect(await circuit()).toMatchObject(refusal));
    },
  },
  accept: {
    words: ['gw-1001'],
    events: ['circuit.changed'],
    seen: () =>
      eventually(async () => {
        const { lastRefusal, ...confirmed } = await circuit();
        expect([lastRefusal ?? null, confirmed]).toMatchObject([null, { state: 'confirmed', roomSetpointCelsius: 23 }]);
      }),
  },
  block: {
    words: ['gw-1001'],
    events: ['function.blocked'],
    seen: async () => {
      expect((await gateway()).blockedFunctions).toMatchObject([{ function: 'heatingCircuits' }]);
      expect((await refused(setpoint(24))).problem).toMatchObject({ status: 409, code: 'appliance-function-blocked' });
    },
  },
  unblock: {
    words: ['gw-1001', 'heatingCircuits'],
    events: ['function.unblocked'],
    seen: async () => {
      expect((await gateway()).blockedFunctions).toEqual([]);
      await done(setpoint(24));
    },
  },
  fault: {
    words: ['gw-1001', 'F.12'],
    events: ['fault.reported'],
    seen: async () => expect((await gateway()).faults).toMatchObject([{ code: 'F.12' }]),
  },
  'fault-cleared': {
    words: ['gw-1001', 'F.12'],
    events: ['fault.cleared'],
    seen: async () => expect((await gateway()).faults).toEqual([]),
  },
  'owner-sets': {
    words: ['gw-1001', '19.5'],
    events: ['circuit.changed'],
    seen: async () => expect(await circuit()).toMatchObject({ roomSetpointCelsius: 19.5 }),
  },
  'day-passes': {
    words: ['gw-1001'],
    events: ['energy.reported'],
    seen: async () => {
      heatBefore = await heatOfToday();
      expect(heatBefore).toBeGreaterThan(0);
    },
  },
  'hour-passes': {
    words: ['gw-1001'],
    events: [],
    seen: async () => {
      const { hours } = (await done(acme.call('getHourlyEnergy', { path }))).body;
      // The hour may have ended since.
      expect(Date.now() - Date.parse(hours.at(-1)?.start ?? '')).toBeLessThan(2 * 3_600_000);
    },
  },
  'day-corrected': {
    words: ['gw-1001'],
    events: ['energy.reported'],
    seen: async () => expect(await heatOfToday()).toBeGreaterThan(heatBefore),
  },
  'consent-withdrawn': {
    words: [],
    events: ['consent.changed'],
    seen: async () => {
      expect((await refused(acme.call('getGateway', { path }))).problem.code).toBe('consent-outdated');
      expect((await done(acme.call('getContract', {}))).body).toMatchObject({ consent: { upToDate: false } });
    },
  },
  'consent-renewed': {
    words: ['owner-4711'],
    events: ['consent.changed'],
    seen: async () => {
      await gateway();
      expect((await done(acme.call('getContract', {}))).body).toMatchObject({ consent: { upToDate: true } });
    },
  },
  'gateway-removed': {
    words: ['gw-1001'],
    events: ['gateway.removed'],
    seen: async () => {
      expect((await refused(acme.call('getGateway', { path }))).problem.code).toBe('gateway-not-in-contract');
      const { items } = (await done(acme.call('listGateways', {}))).body;
      expect(items.map(({ gatewayId }) => gatewayId)).not.toContain('gw-1001');
    },
  },
  'gateway-added': {
    words: ['gw-1001'],
    events: ['gateway.added'],
    seen: gateway,
  },
  'key-expires-in': {
    words: ['13d'],
    events: ['api_key.expiring'],
    seen: async () => {
      const days = (Date.parse((await ownKey()).expiresAt) - Date.now()) / 86_400_000;
      expect([days > 12.9, days < 13.1]).toEqual([true, true]);
      await control('key-expires-in', '0m', 'acme');
      expect((await refused(acme.call('getOwnApiKey', {}))).problem.code).toBe('api-key-expired');
      await control('key-expires-in', '180d');
      expect((await ownKey()).validKeys).toBe(1);
    },
  },
  'cursors-expire': {
    words: ['acme'],
    events: [],
    seen: async () => {
      const { problem } = await refused(acme.call('listEvents', { query: { after: oldCursor } }));
      expect(problem).toMatchObject({ code: 'cursor-expired', oldestCursor: expect.any(String) });
    },
  },
  suspend: {
    words: [],
    events: [],
    seen: async () => expect((await refused(acme.call('getContract', {}))).problem.code).toBe('company-suspended'),
  },
  resume: {
    words: [],
    events: [],
    seen: () => done(acme.call('getContract', {})),
  },
  'service-fails': {
    words: [],
    events: [],
    seen: async () => {
      const { apiKey } = companyOf(service, 'acme');
      const { status, body } = await service.send({ path: '/contract', apiKey });
      expect([status, body]).toMatchObject([503, { code: 'service-unavailable' }]);
    },
  },
  'service-works': {
    words: [],
    events: [],
    seen: () => done(acme.call('getContract', {})),
  },
  'receiver-fails': {
    words: [],
    events: [],
    seen: async () => {
      await control('owner-sets', 'gw-1001', '20.5');
      const failing = { failingSince: expect.any(String), lastAttempt: { status: 503 } };
      await eventually(async () => expect(await webhook()).toMatchObject(failing), 500);
    },
  },
  'receiver-works': {
    words: [],
    events: [],
    seen: () =>
      eventually(async () => expect(await webhook()).toMatchObject({ failingSince: null, state: 'enabled' }), 500),
  },
  'contract-ended': {
    words: [],
    events: ['contract.changed'],
    seen: async () => {
      expect((await refused(acme.call('getGateway', { path }))).problem.code).toBe('contract-not-active');
      expect((await done(acme.call('getContract', {}))).body).toMatchObject({ state: 'ended' });
      await eventually(async () => expect(await webhook()).toMatchObject({ state: 'disabled' }), 500);
    },
  },
  'contract-opened': {
    words: [],
    events: ['contract.changed'],
    seen: async () => {
      await gateway();
      expect((await done(acme.call('getContract', {}))).body).toMatchObject({ state: 'active' });
    },
  },
};

test.each(Object.entries(promises))(
  'after %s, a partner sees what the row of the control promises',
  proven,
  async (name, row) => {
    // The feed cannot be read while the company is suspended or the store is down.
    if (name !== 'resume' && name !== 'service-works') oldCursor = await latest();
    const [, seen] = await control(name as ControlName, ...row.words);
    expect(seen).toMatch(/^(?!Nothing changed)./);
    await row.seen();
    if (row.events.length > 0) await eventsAfter(oldCursor, row.events);
  },
);
