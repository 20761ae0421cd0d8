import assert from 'node:assert/strict';
import type { RequestedChangeEvent } from '../../../../lambdas/api/requested-change.ts';
import { circuitItemKey } from '../../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../../lambdas/data/appliances/requested-changes.ts';
import { changeCompany, findCompany } from '../../../../lambdas/data/contracts/companies.ts';
import { findContract, putContract, unopenedContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../../lambdas/data/contracts/grants.ts';
import { dropEndedChanges, dropOnGateway } from '../../../../lambdas/data/ended-changes.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Shadow } from '../../../../lambdas/domain/appliance.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { connectivityFacts } from '../../../../lambdas/domain/gateway.ts';
import { permittedSince, type Requester } from '../../../../lambdas/domain/open-change.ts';
import { portalEffects } from '../../../../lambdas/inbound/portal-effects.ts';
import { dropExpiredChanges } from '../../../../lambdas/outbound/drop-expired-changes.ts';
import { relayRecords } from '../../../../lambdas/outbound/relay.ts';
import type { FifoMessage } from '../../../../lambdas/runtime/senders.ts';
import { createDone } from '../../../../lambdas/runtime/set-aside.ts';
import { factTimesAt, putGateway, putShadow } from '../../../../test/support/appliance.ts';
import { applianceRecord, unavailable } from '../../../../test/support/feed.ts';
import { calmStore, type Memory } from '../../../../test/support/memory-store/memory.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, newRecords, openChangesAreListed, recordIsKept } from '../../../../test/support/stage/rows.ts';
import { openReader, openStreams } from '../../../../test/support/stage/streams.ts';
import { onboard, startMs } from '../../../../test/support/world.ts';
import type { Around, Scenario } from '../scenario.ts';
import { gateway } from './requested-changes.ts';

const { gatewayId } = gateway;
const key = circuitItemKey(gatewayId, 'heating', 'c1');
/** The company whose access ends, and another one of the same owner. */
const [endedId, otherId] = ['ended', 'other'];
const [userId, nextOwner] = ['owner', 'next-owner'];

/** All times are seconds after `startMs`. */
const at = (seconds: number): number => startMs + seconds * 1000;

const setting = (() => 3) as never;

type Values = Readonly<Record<string, unknown>>;
type Circuit = Shadow & { readonly desired?: Values; readonly reported: Values };

const circuitIn = (tables: Tables) => rowsOf(tables, 'Appliances').get(`${gatewayId}\0${key.sk}`) as unknown as Circuit;

const before = { operationMode: 'auto', roomSetpointCelsius: 20 };
const ofOther = { operationMode: 'off' };
const ofEnded = { roomSetpointCelsius: 29.5 };
/** What the company asks for while its access ends. */
const again = { roomSetpointCelsius: 28 };

type Terms = { readonly seconds: number; readonly validUntilMs?: number | undefined };
const ask = (store: Store, contract: Contract, values: object, item: Shadow, { seconds, validUntilMs }: Terms) =>
  requestChange(
    store,
    { ...actOf(contract.companyId, null, at(seconds)), userId },
    {
      gateway,
      uses: 'heatingCircuits',
      key,
      item,
      values,
      ifMatch: [],
      permittedSinceMs: permittedSince(contract, gatewayId),
      validUntilMs,
      target: { circuitId: 'c1' },
    },
  );

const endingMs = at(30);
const portal =
  (type: keyof typeof portalEffects, data: object = {}) =>
  (store: Store): Promise<unknown> => {
    const times = { timeMs: endingMs, arrivedAtMs: endingMs };
    const event = { type, id: 'the-ending', subject: endedId, ...times, data: { userId, gatewayId, ...data } };
    return (portalEffects[type] as (...given: object[]) => Promise<unknown>)(
      { store, setting, nowMs: () => endingMs },
      event,
    );
  };

/** Suspends the company as an operator does. */
const suspend = async (store: Store): Promise<void> => {
  const [company, act] = [await findCompany(store, endedId), actOf(endedId, null, endingMs)];
  if (company?.state === 'active') await changeCompany(store, act, company, { state: 'suspended' });
  const ending = { companyId: endedId, gatewayIds: [gatewayId], requiredConsentVersion: 3 };
  await dropEndedChanges(store, act, ending);
};

/** The job that drops what has expired. A request while it runs does not expire, and stays. */
const expiry = 'the expiry of the change';

/** Each may be repeated, as the portal and an operator repeat what has failed. */
const endings: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'the withdrawal of consent': portal('portal.consent.withdrawn.v1'),
  'the end of the contract': portal('portal.contract.ended.v1'),
  'the revocation of the gateway': portal('portal.installation.removed.v1'),
  'the move to another owner': portal('portal.installation.added.v1', { userId: nextOwner }),
  'the suspension of the company': suspend,
  [expiry]: (store) => dropExpiredChanges({ store, setting, log: () => {}, processTimeMs: () => endingMs } as never),
};

/** A message to the backend, and the tables when its invocation began. */
type Sent = { readonly version: number; readonly setpoint: unknown; readonly began: Tables };

/** The stream of the circuit's table, whose first record is the newest request, and the queue to the backend. */
const openOutbound = (memory: Memory, earlier: Circuit) => {
  const streams = openStreams(memory, () => endingMs);
  streams.Appliances.push(applianceRecord(0, earlier as never, circuitIn(memory.now()) as never));
  const stream = openReader(streams.Appliances);
  const sent: Sent[] = [];
  const ids = new Set<string>();
  /** Relays what is in the stream now. `step` carries out what happens at one moment. */
  const relay = async (store: Store, step: (what: string, happen: () => unknown) => Promise<unknown>) => {
    let began = memory.now();
    let batch: ReturnType<typeof stream.nextBatch> = [];
    await step('reads the stream', () => {
      began = memory.now();
      streams.noteChanges();
      batch = stream.nextBatch(100);
    });
    const answer = await relayRecords(
      {
        store,
        setting,
        log: () => {},
        processTimeMs: () => endingMs,
        done: createDone(),
        send: async (_queue, message) => {
          const { body, deduplicationId } = message as FifoMessage;
          await step('sends a message', () => {
            if (ids.has(deduplicationId)) return;
            ids.add(deduplicationId);
            const { version, desired }: RequestedChangeEvent['data'] = JSON.parse(body).data;
            sent.push({ version, setpoint: (desired as Values).roomSetpointCelsius, began });
          });
        },
      },
      batch,
    );
    stream.answered(batch, answer);
    return batch.length > 0;
  };
  return {
    sent: sent as readonly Sent[],
    relay: (store: Store, { turns }: Around) =>
      relay(store, (what, happen) =>
        turns.wait(what, () => [
          { name: 'happens', happen },
          {
            name: 'fails',
            isDisturbance: true,
            happen: () => {
              throw unavailable();
            },
          },
        ]),
      ),
    drain: async () => {
      while (await relay(calmStore(memory), async (_, happen) => happen()));
    },
  };
};

/** A change that is not open any more was confirmed as a whole, or dropped with a version and the audit row of its company. */
const dropsAreOnRecord = (earlier: Tables, later: Tables): void => {
  recordIsKept(earlier, later);
  const [old, young] = [circuitIn(earlier), circuitIn(later)];
  if (old === young) return;
  openChangesAreListed(young);
  assert.deepEqual(Object.keys(young.desiredBy ?? {}), Object.keys(young.desired ?? {}), 'who asked is not known');
  const raised = young.version - old.version;
  assert(raised === 0 || raised === 1, `the version went up by ${raised}`);
  const rows = newRecords(earlier, later);
  assert.equal(rows.length, raised, 'versions and audit rows differ');
  const lost = Object.entries(old.desired ?? {}).filter(([name]) => !(name in (young.desired ?? {})));
  if (raised === 0) assert(lost.length === 0 || young.desired === undefined, 'a part of a change was confirmed');
  else if (young.lastDropped) {
    assert.deepEqual(rows[0]?.before, Object.fromEntries(lost), 'the audit row has other values');
    assert.deepEqual([rows[0]?.subject, rows[0]?.userId], [endedId, userId], 'the change of another was dropped');
    assert.equal(young.lastDropped.version, Math.max(...lost.map(([name]) => old.desiredBy?.[name]?.version ?? 0)));
  } else assert.deepEqual(lost, []);
};

type Outbound = ReturnType<typeof openOutbound>;

/** What meets the ending. */
type Rival = (store: Store, around: Around, home: { outbound: Outbound; contract: Contract; item: Circuit }) => unknown;

const reports = (store: Store, reported: object, fulfilsVersion?: number) =>
  report(store, key, { reported, fulfilsVersion }, factTimesAt(at(40)));

const rivals: Readonly<Record<string, Rival>> = {
  'a request': (store, _, { contract, item }) => ask(store, contract, again, item, { seconds: 20 }),
  'the relay': (store, around, { outbound }) => outbound.relay(store, around),
  'a report with a version': (store, _, { item }) =>
    reports(store, { ...ofOther, roomSetpointCelsius: 21 }, item.version),
  'a report without a version': (store) => reports(store, { ...before, ...ofOther }),
  'a reconnect': async (store, around, { outbound }) => {
    await reportFacts(store, gatewayId, connectivityFacts('online', at(35)), factTimesAt(at(35)));
    return outbound.relay(store, around);
  },
};

/** What else meets the job. */
const rivalsOfExpiry: Readonly<Record<string, Rival>> = {
  'another run': (store) => endings[expiry]?.(store),
  'a drop by the operator': (store) => {
    const isAsked = ({ companyId }: Requester) => companyId === endedId;
    const whyDropped = async () => () => 'dropped-by-operator' as const;
    return dropOnGateway(store, actOf(endedId, null, endingMs), gatewayId, { isAsked, whyDropped });
  },
};

const endingScenario = (ending: string, rival: string): Scenario => ({
  name: `${ending} and ${rival}, with open changes of two companies`,
  guarantee: 'nothing of the ended company stays open or is sent, and the change of the other company stays',
  // With more, the relay and the ending have more orders than `npm run prove` has time for.
  maxDisturbances: rival === 'the relay' || rival === 'a reconnect' ? { prove: 0, full: 1 } : { prove: 1, full: 2 },
  arrange: async (store, arranged) => {
    const { contract: former } = await onboard(store, { companyId: endedId, userId });
    await putContract(store, { ...former, ...unopenedContract({ ...former, userId: nextOwner }), state: 'active' });
    await onboard(store, { companyId: otherId, userId });
    for (const companyId of [endedId, otherId])
      await applyGrant(store, actOf(companyId, null), { gatewayId, userId, isGranted: true });
    const [contract, another] = (await Promise.all(
      [endedId, otherId].map((companyId) => findContract(store, { companyId, userId })),
    )) as [Contract, Contract];
    const reportedAtMs = at(-3600);
    await putGateway(store, gateway);
    await putShadow(
      store,
      key,
      { circuitId: 'c1' },
      { reported: before, reportedAtMs, receivedAtMs: reportedAtMs, version: 1 },
    );
    await ask(store, another, ofOther, circuitIn(arranged.now()), { seconds: 10 });
    const earlier = circuitIn(arranged.now());
    const isExpiry = ending === expiry;
    await ask(store, contract, ofEnded, earlier, { seconds: 11, validUntilMs: isExpiry ? endingMs : undefined });
    const item = circuitIn(arranged.now());
    const begin = arranged.now();
    const ended: readonly unknown[] = (isExpiry ? [ofEnded] : [ofEnded, again]).map((each) => each.roomSetpointCelsius);
    const outbounds = new WeakMap<Memory, Outbound>();
    const outboundOf = (memory: Memory): Outbound => {
      const outbound = outbounds.get(memory) ?? openOutbound(memory, earlier);
      outbounds.set(memory, outbound);
      return outbound;
    };
    const hasEnded = (tables: Tables) =>
      isExpiry || (['Contracts', 'Companies'] as const).some((name) => rowsOf(tables, name) !== rowsOf(begin, name));
    const end = endings[ending] as (own: Store) => Promise<unknown>;
    return {
      operations: {
        [ending]: end,
        [rival]: async (own, around) =>
          (({ ...rivals, ...rivalsOfExpiry })[rival] as Rival)(own, around, {
            outbound: outboundOf(around.memory),
            contract,
            item,
          }),
      },
      afterEach: (old, young) => {
        if (!hasEnded(old) && hasEnded(young)) recordIsKept(old, young);
        else dropsAreOnRecord(old, young);
      },
      atEnd: async ({ memory }) => {
        const { sent, drain } = outboundOf(memory);
        // What failed arrives again.
        await end(calmStore(memory));
        await drain();
        const { desired, desiredBy = {}, reported, version, lastDropped } = circuitIn(memory.now());
        const mayStay = ({ companyId, validUntilMs }: Requester) =>
          isExpiry ? validUntilMs === undefined : companyId === otherId;
        assert(Object.values(desiredBy).every(mayStay), 'a change outlives its permission or its end');
        const { operationMode } = { ...reported, ...desired };
        assert.equal(operationMode, 'off', 'the change of the other company is lost');
        for (const { setpoint, began } of sent)
          assert(!hasEnded(began) || !ended.includes(setpoint), 'a change was sent after its permission or its end');
        const newest = sent.filter((message) => message.version === version);
        if (lastDropped) assert(newest.length > 0, 'the drop was not sent');
        // The backend applies one message of a version.
        if (lastDropped)
          for (const { setpoint } of newest) assert([20, 21].includes(Number(setpoint)), 'nothing is undone');
        await report(
          calmStore(memory),
          key,
          { reported: { roomSetpointCelsius: 22 }, fulfilsVersion: item.version },
          factTimesAt(at(50)),
        );
        assert.deepEqual(circuitIn(memory.now()).desired, desired, 'a late report confirmed another version');
      },
    };
  },
});

export const endingScenarios: readonly Scenario[] = Object.keys(endings).flatMap((ending) =>
  Object.keys({ ...rivals, ...(ending === expiry && rivalsOfExpiry) }).map((rival) => endingScenario(ending, rival)),
);
