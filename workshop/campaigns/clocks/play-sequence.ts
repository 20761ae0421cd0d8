import assert from 'node:assert/strict';
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
import { openOwners } from './owners.ts';
import { openPartner } from './partner.ts';
import type { Act, Sequence, Step } from './sequences.ts';
import { openCompanyStage } from './stage.ts';

const gatewayId = 'gw-1';
const elsewhere = 'elsewhere';
const { reported } = inboundEventDocs()['circuit.reported.v1'].example.data;
const minuteMs = 60_000;

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
  const stage = await openCompanyStage();
  const { companyId, store } = stage;
  const underWay: { readonly dueMs: number; readonly arrive: () => Promise<void> }[] = [];
  let values = 0;

  let owner = stage.contract.userId;
  const owners = openOwners();
  const { historyOf, mayBeSeen, noteGrant } = owners;
  owners.put(owner, { accepted: [stage.now()], beginMs: stage.now() });
  const erasures = new Map<string, number>();

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
      isDryRun: false,
      talk: () => {},
      config: { consent: { requiredVersion: 3 } },
      connect: async () => ({ store, stackName: 'stack', readStoreTimeMs: async () => byOperator().nowMs }),
      auditContext: async (subject: string, userId?: string) => ({ ...byOperator(), companyId: subject, userId }),
    } as object as OperatorContext;
    const found = await findErasable(store, { userId: owner, pseudonym, stackName: 'stack' });
    await eraseOwner(context, found);
    stage.noteChanges();
    // An erasure that only finds remains of an earlier one completes it, and keeps its time.
    const { erasedAtMs } = (await findContract(store, erasureParties(owner))) as Contract;
    if (erasedAtMs !== found.erasedAtMs) erasures.set(owner, stage.now());
    owners.put(owner, { isActive: false, beginMs: stage.now() });
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

  const partner = await openPartner(stage, owners, () => owner);

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
      assert(status !== 202 || mayBeSeen(owner), 'a change is taken of what was withdrawn');
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
        owners.put(owner, { beginMs: stage.now() });
        const { nowMs } = byOperator();
        const parties = { companyId, userId: owner };
        const unopened = unopenedContract(parties);
        const opening = openedByOperator(unopened, nowMs);
        assert.equal((await createContract(store, byOperator(), unopened, opening)).outcome, 'created');
        stage.noteChanges();
      }
      await partner.startAgain();
    },
    erases: erase,
    'onboards elsewhere': () => putCompany(store, { ...stage.company, companyId: elsewhere }),
    'contract record': () => stage.deliverRecord('Contracts'),
    'appliance record': () => stage.deliverRecord('Appliances'),
    'record again': async () => {
      await stage.deliverRecord('Contracts', true);
      await stage.deliverRecord('Appliances', true);
    },
    read: partner.read,
    'read feed': partner.readFeed,
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
  await partner.readFeed();
  await partner.expectCurrent();
};
