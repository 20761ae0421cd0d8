import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type InboundEventType, inboundEventDocs } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import {
  type ContractChange,
  changeContract,
  createContract,
  erasureParties,
  findContract,
  unopenedContract,
} from '../../../lambdas/data/contracts/contracts.ts';
import { acceptedByOperator, withdrawnByOperator } from '../../../lambdas/domain/consent.ts';
import { type Contract, endedByOperator, openedByOperator } from '../../../lambdas/domain/contract.ts';
import type { OperatorContext } from '../../../operator/cli/context.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { eraseOwner, findErasable } from '../../../operator/owners/owner-erasure.ts';
import { eventLike } from '../../../test/support/messages.ts';
import { openStage } from './stage.ts';

const gatewayId = 'gw-1';
const elsewhere = 'elsewhere';
const { reported } = inboundEventDocs()['circuit.reported.v1'].example.data;
const minuteMs = 60_000;

/** The clock errors of the portal and of the gateway backend. The operator uses the service's clock. */
const clocks = fc.record({
  portalMs: fc.integer({ min: -minuteMs, max: minuteMs }),
  backendMs: fc.integer({ min: -minuteMs, max: minuteMs }),
});

const acts = [
  ...['opened', 'accepted', 'withdrawn', 'added', 'removed', 'report', 'report', 'change'],
  ...[
    'operator accepts',
    'operator withdraws',
    'operator grants',
    'operator revokes',
    'ends',
    'reinstates',
    'other owner',
    'erases',
    'onboards elsewhere',
  ],
  ...[
    'contract record',
    'contract record',
    'appliance record',
    'appliance record',
    'record again',
    'read',
    'read',
    'read feed',
  ],
] as const;

type Act = (typeof acts)[number];

const step = fc.record({
  act: fc.constantFrom(...acts) as fc.Arbitrary<Act>,
  /** The time since the previous step. */
  afterMs: fc.constantFrom(1, 400, 3000, 30_000, 70_000),
  /** The delivery delay of the step's event, and the time until a repeated delivery, if there is one. */
  delayMs: fc.constantFrom(0, 0, 0, 2000, 40_000, 100_000),
  againAfterMs: fc.constantFrom(undefined, undefined, 5000, 90_000),
  /** Whether the portal's event names a company that does not know the owner and may not be onboarded yet. */
  isElsewhere: fc.constantFrom(false, false, false, true),
});

/** Any order of actions by owners, operators, gateways and the partner, with any clock errors and deliveries. */
export const sequences = fc.record({ clocks, steps: fc.array(step, { minLength: 8, maxLength: 40 }) });

export type Sequence = typeof sequences extends fc.Arbitrary<infer Value> ? Value : never;

type Step = Sequence['steps'][number];

const portalTypes = {
  opened: 'portal.contract.opened.v1',
  accepted: 'portal.consent.accepted.v1',
  withdrawn: 'portal.consent.withdrawn.v1',
  added: 'portal.installation.added.v1',
  removed: 'portal.installation.removed.v1',
} as const satisfies Record<string, InboundEventType>;

/**
 * Plays a sequence. Throws in three cases: a read shows data that was withdrawn or revoked before the read began, both in
 * reality and according to the events received so far; an event from before an owner's erasure changes anything after it, at any company; or a
 * partner who follows the feed as the guide says ends with a state other than the API's.
 */
export const playSequence = async ({ clocks: { portalMs, backendMs }, steps }: Sequence): Promise<void> => {
  const stage = await openStage();
  const { companyId, store } = stage;
  const underWay: { readonly dueMs: number; readonly arrive: () => Promise<void> }[] = [];
  let values = 0;

  /** The events received for an owner, by their true times, and the time from which data may be shown. */
  const beginOfOwner = () => ({
    accepted: [] as number[],
    withdrawn: [] as number[],
    added: [] as number[],
    removed: [] as number[],
    isActive: true,
    beginMs: stage.now(),
  });
  let owner = stage.contract.userId;
  const owners = new Map([[owner, { ...beginOfOwner(), accepted: [stage.now()] }]]);
  const historyOf = (userId: string) => owners.get(userId) ?? beginOfOwner();

  const isLast = (given: readonly number[], taken: readonly number[]) =>
    given.some((each) => taken.every((other) => other < each));
  const erasures = new Map<string, number>();
  const mayBeSeen = (userId = owner) => {
    const { isActive, accepted, withdrawn, added, removed } = historyOf(userId);
    return isActive && isLast(accepted, withdrawn) && isLast(added, removed);
  };
  /** A grant by one owner revokes the grants of all others. */
  const noteGrant = (userId: string, atMs: number) => {
    for (const [other, history] of owners) if (other !== userId) history.removed.push(atMs);
  };

  const advance = async (ms: number) => {
    const endMs = stage.now() + ms;
    for (;;) {
      underWay.sort((one, other) => one.dueMs - other.dueMs);
      if (!underWay[0] || underWay[0].dueMs > endMs) break;
      const { dueMs, arrive } = underWay.shift() as (typeof underWay)[number];
      stage.setNow(dueMs);
      await arrive();
    }
    stage.setNow(endMs);
  };

  const send = ({ delayMs, againAfterMs }: Pick<Step, 'delayMs' | 'againAfterMs'>, arrive: () => Promise<void>) => {
    underWay.push({ dueMs: stage.now() + delayMs, arrive });
    if (againAfterMs !== undefined) underWay.push({ dueMs: stage.now() + delayMs + againAfterMs, arrive });
  };

  const sendFromPortal = (act: keyof typeof portalTypes, how: Step) => {
    const [atMs, userId] = [stage.now(), owner];
    if (act === 'opened' && !how.isElsewhere) return;
    const data = {
      userId,
      ...(act === 'accepted' ? { consentVersion: 3 } : {}),
      ...(act === 'added' || act === 'removed' ? { gatewayId } : {}),
    };
    const event = eventLike(portalTypes[act], {
      subject: how.isElsewhere ? elsewhere : companyId,
      timeMs: atMs + portalMs,
      id: `${act}-${atMs}`,
      data,
    });
    send(how, async () => {
      const before = stage.memory.now();
      const outcome = await stage.deliver('takePortalEvents', event);
      if (atMs < (erasures.get(userId) ?? 0)) {
        assert.equal(outcome, 'stale', `what was ${act} before an erasure counts`);
        assert.equal(stage.memory.now(), before, `what was ${act} before an erasure changes something`);
        return;
      }
      if (how.isElsewhere) return;
      assert(['applied', 'noted', 'stale'].includes(outcome), outcome);
      if (act === 'opened') return;
      historyOf(userId)[act].push(atMs);
      if (act === 'added' && outcome === 'applied') noteGrant(userId, atMs);
    });
  };

  /** Erases the owner, then advances the time until no new event can be taken for one from before the erasure. */
  const erase = async () => {
    const pseudonym = `erased-${owner}`;
    const context = {
      connect: async () => ({ store, stackName: 'stack', readStoreTimeMs: async () => byOperator().nowMs }),
      auditContext: async (subject: string, userId?: string) => ({ ...byOperator(), companyId: subject, userId }),
    } as object as OperatorContext;
    const found = await findErasable(store, { userId: owner, pseudonym, stackName: 'stack' });
    await eraseOwner(context, found);
    stage.noteChanges();
    // An erasure that only finds remains of an earlier one completes it, and keeps its time.
    const { erasedAtMs } = (await findContract(store, erasureParties(owner))) as Contract;
    if (erasedAtMs !== found.erasedAtMs) erasures.set(owner, stage.now());
    owners.set(owner, { ...beginOfOwner(), isActive: false });
    await advance(3 * minuteMs);
    await describe();
  };

  /** Delivers the backend's description of a gateway that the service does not know, or no longer knows. */
  const describe = async () => {
    const timeMs = stage.now() + backendMs;
    await stage.deliver('takeGatewayReports', eventLike('gateway.described.v1', { subject: gatewayId, timeMs }));
    const report = { subject: gatewayId, timeMs, id: `first-${timeMs}`, data: { fulfilsVersion: undefined } };
    await stage.deliver('takeGatewayReports', eventLike('circuit.reported.v1', report));
  };

  const sendReport = (how: Step) => {
    const atMs = stage.now();
    const item = stage.memory.now().Appliances?.get(`${gatewayId}\0CIRCUIT#heating#hc1`);
    const event = eventLike('circuit.reported.v1', {
      subject: gatewayId,
      timeMs: atMs + backendMs,
      id: `report-${atMs}`,
      data: {
        reported: { ...reported, roomSetpointCelsius: nextValue() },
        fulfilsVersion: item?.desired ? item.version : undefined,
      },
    });
    send(how, async () => {
      const outcome = await stage.deliver('takeGatewayReports', event);
      assert(['applied', 'stale'].includes(outcome), outcome);
    });
  };

  const nextValue = () => 5 + 0.5 * (values++ % 51);

  /** The operator's program reads the service's time in whole seconds, rounded up. */
  const byOperator = () => ({
    companyId,
    nowMs: Math.ceil(stage.now() / 1000) * 1000,
    requestId: 'r',
    operation: 'test',
    actorKey: null,
  });

  const operatorChanges = async (decide: (seen: Contract, nowMs: number) => ContractChange | undefined) => {
    const seen = await findContract(store, { companyId, userId: owner });
    assert(seen);
    const change = decide(seen, byOperator().nowMs);
    if (!change) return false;
    assert.equal((await changeContract(store, byOperator(), seen, change)).outcome, 'changed');
    stage.noteChanges();
    return true;
  };

  const operatorSets = async (isGranted: boolean) => {
    const set = await setGrants(store, byOperator(), { userId: owner, gatewayIds: [gatewayId], isGranted });
    stage.noteChanges();
    return set.outcome === 'done' && set.changedGatewayIds.length > 0;
  };

  /** Returns the settings of the circuit; undefined where they are not shown. */
  const read = async (): Promise<object | undefined> => {
    const { status, body } = await stage.call('getHeatingCircuit', {
      userId: owner,
      pathParameters: { gatewayId, circuitId: 'hc1' },
    });
    assert(status !== 200 || mayBeSeen(), 'a read shows what was withdrawn');
    const { roomSetpointCelsius, version, state } = body;
    return status === 200 ? { roomSetpointCelsius, version, state } : undefined;
  };

  /** The state of a partner who follows the feed from its present end and reads the circuit then. */
  const { body: begin } = await stage.call('listEvents', { userId: owner, query: { after: ['latest'] } });
  let cursor = String(begin.nextCursor);
  let mirror = await read();
  const readFeed = async () => {
    for (let hasMore = true; hasMore; ) {
      const { status, body } = await stage.call('listEvents', { userId: owner, query: { after: [cursor] } });
      assert.equal(status, 200);
      const items = body.items as {
        readonly id: string;
        readonly type: string;
        readonly userId?: string;
        readonly data: Record<string, unknown>;
      }[];
      for (const { id, type, userId = '', data } of items) {
        if (data.userId !== undefined) assert.equal(data.userId, userId, 'an event tells of another owner');
        if (type !== 'circuit.changed') continue;
        const writtenMs = stage.writtenAtMs(id);
        const history = historyOf(userId);
        assert(mayBeSeen(userId) && writtenMs > history.beginMs, 'an event is shown that may not be seen');
        const taken = [...history.withdrawn, ...history.removed];
        assert(
          taken.every((each) => each < writtenMs),
          'an event is shown from before what was taken',
        );
        const { roomSetpointCelsius, version, state } = data;
        if (userId === owner) mirror = { roomSetpointCelsius, version, state };
      }
      const readTriggers = ['consent.changed', 'contract.changed', 'gateway.added'];
      if (Number(body.withheld) > 0 || items.some(({ type }) => readTriggers.includes(type)))
        mirror = (await read()) ?? mirror;
      cursor = String(body.nextCursor);
      hasMore = Boolean(body.hasMore);
    }
  };

  const play: Record<Act, (how: Step) => unknown> = {
    opened: (how) => sendFromPortal('opened', how),
    accepted: (how) => sendFromPortal('accepted', how),
    withdrawn: (how) => sendFromPortal('withdrawn', how),
    added: (how) => sendFromPortal('added', how),
    removed: (how) => sendFromPortal('removed', how),
    report: sendReport,
    change: async () => {
      const { status } = await stage.call('updateHeatingCircuit', {
        userId: owner,
        pathParameters: { gatewayId, circuitId: 'hc1' },
        body: { roomSetpointCelsius: nextValue() },
      });
      assert(status !== 202 || mayBeSeen(), 'a change is taken of what was withdrawn');
    },
    'operator accepts': async () => {
      const isChanged = await operatorChanges((seen, nowMs) =>
        seen.acceptedConsentVersion === 3
          ? undefined
          : acceptedByOperator(seen, { consentVersion: 3, requiredVersion: 3 }, nowMs),
      );
      if (isChanged) historyOf(owner).accepted.push(stage.now());
    },
    'operator withdraws': async () => {
      await operatorChanges(withdrawnByOperator);
      historyOf(owner).withdrawn.push(stage.now());
    },
    'operator grants': async () => {
      if (!(await operatorSets(true))) return;
      historyOf(owner).added.push(stage.now());
      noteGrant(owner, stage.now());
    },
    'operator revokes': async () => {
      await operatorSets(false);
      historyOf(owner).removed.push(stage.now());
    },
    ends: async () => {
      await operatorChanges((seen, nowMs) => (seen.state === 'ended' ? undefined : endedByOperator(seen, nowMs)));
      historyOf(owner).isActive = false;
    },
    reinstates: async () => {
      if (
        !(await operatorChanges((seen, nowMs) => (seen.state === 'active' ? undefined : openedByOperator(seen, nowMs))))
      )
        return;
      Object.assign(historyOf(owner), { isActive: true, beginMs: stage.now() });
    },
    'other owner': async () => {
      owner = owner.endsWith('-b') ? owner.slice(0, -2) : `${owner}-b`;
      if (!owners.has(owner)) {
        owners.set(owner, beginOfOwner());
        const { nowMs } = byOperator();
        const parties = { companyId, userId: owner };
        const unopened = unopenedContract(parties);
        const opening = openedByOperator(unopened, nowMs);
        assert.equal((await createContract(store, byOperator(), unopened, opening)).outcome, 'created');
        stage.noteChanges();
      }
      // The feed tells nothing about the previous owner's home, so the partner starts from a read.
      mirror = await read();
    },
    erases: erase,
    'onboards elsewhere': () => putCompany(store, { ...stage.company, companyId: elsewhere }),
    'contract record': () => stage.deliverRecord('Contracts'),
    'appliance record': () => stage.deliverRecord('Appliances'),
    'record again': async () => {
      await stage.deliverRecord('Contracts', true);
      await stage.deliverRecord('Appliances', true);
    },
    read,
    'read feed': readFeed,
  };

  const described = eventLike('gateway.described.v1', { subject: gatewayId, timeMs: stage.now() - minuteMs });
  assert.equal(await stage.deliver('takeGatewayReports', described), 'applied');
  const first = eventLike('circuit.reported.v1', {
    subject: gatewayId,
    timeMs: stage.now() - minuteMs,
    id: 'first',
    data: { fulfilsVersion: undefined },
  });
  assert.equal(await stage.deliver('takeGatewayReports', first), 'applied');
  for (const how of steps) {
    await advance(how.afterMs);
    await play[how.act](how);
  }

  // Everything in flight arrives, and the partner reads the feed to its end.
  await advance(10 * minuteMs);
  for (const name of ['Contracts', 'Appliances'] as const)
    while (stage.pendingOf(name) > 0) await stage.deliverRecord(name);
  await readFeed();
  const state = await read();
  if (state !== undefined && !isDeepStrictEqual(mirror, state))
    assert.fail(`the feed has not told that ${JSON.stringify(mirror)} is ${JSON.stringify(state)} now`);
};
