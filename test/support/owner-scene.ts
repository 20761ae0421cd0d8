import { auditPut } from '../../lambdas/data/audit.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../lambdas/data/contracts/grants.ts';
import { acceptConsent, openContract } from '../../lambdas/data/contracts/owner-decisions.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import type { FeedEvent } from '../../lambdas/domain/feed-event.ts';
import { companyEvent } from './feed.ts';
import { reportGateway } from './messages.ts';
import { operatorActOn } from './store.ts';
import { onboard, startMs } from './world.ts';

const minuteMs = 60_000;
let scenes = 0;

/**
 * An owner with contracts with two companies, and a neighbour with a contract with the first. The owner granted the gateway
 * `own` to both companies. Ten minutes ago, `got` passed from the neighbour to the owner, and `given` from the owner to the
 * neighbour. Each gateway has state, audit rows and events of its owners, and the feed of the first company has all events.
 */
export const ownerScene = async (store: Store) => {
  const name = `scene${++scenes}`;
  const [first, second] = [await onboard(store), await onboard(store)];
  const [owner, neighbour] = [`${name}.owner`, `${name}.neighbour`];
  const [own, got, given] = [`${name}-own`, `${name}-got`, `${name}-given`];
  const actOf = (companyId: string, minutesAgo: number, userId: string) => ({
    ...operatorActOn(companyId, startMs - minutesAgo * minuteMs),
    userId,
  });
  for (const [companyId, userId] of [
    [first.companyId, owner],
    [second.companyId, owner],
    [first.companyId, neighbour],
  ] as const) {
    await openContract(store, actOf(companyId, 100, userId), { userId });
    await acceptConsent(store, actOf(companyId, 99, userId), { userId, consentVersion: 3, requiredVersion: 3 });
  }
  const grants = [
    [first.companyId, own, owner, 90],
    [second.companyId, own, owner, 89],
    [first.companyId, got, neighbour, 88],
    [first.companyId, given, owner, 87],
    [first.companyId, got, owner, 10],
    [first.companyId, given, neighbour, 10],
  ] as const;
  for (const [companyId, gatewayId, userId, minutesAgo] of grants)
    await applyGrant(store, actOf(companyId, minutesAgo, userId), { gatewayId, isGranted: true, userId });
  await reportGateway(store, own, startMs, { companyId: first.companyId, userId: owner });
  for (const gatewayId of [got, given]) await reportGateway(store, gatewayId);
  const changes = [
    [own, owner, 20],
    [got, neighbour, 20],
    [got, owner, 5],
    [given, owner, 20],
    [given, neighbour, 5],
  ] as const;
  const act = (gatewayId: string, userId: string, minutesAgo: number) =>
    transact(store, { audit: auditPut(store, actOf(first.companyId, minutesAgo, userId), { gatewayId }) });
  for (const [gatewayId, userId, minutesAgo] of changes) await act(gatewayId, userId, minutesAgo);
  const { userId: _, ...ofNobody } = actOf(first.companyId, 3, owner);
  await transact(store, { audit: auditPut(store, { ...ofNobody, operation: 'change resend' }, { gatewayId: own }) });
  const events = changes.map(([gatewayId, userId, minutesAgo]) =>
    ofAppliance(`${gatewayId} of ${userId}`, { gatewayId, userId, receivedAtMs: startMs - minutesAgo * minuteMs }),
  );
  await appendEvents(store, first.companyId, [companyEvent('own'), ...events], startMs);
  await appendEvents(store, second.companyId, [companyEvent('told', { userId: owner })], startMs);
  return {
    owner,
    neighbour,
    own,
    got,
    given,
    first: first.companyId,
    second: second.companyId,
    contractWith: (companyId: string, userId = owner) => findContract(store, { companyId, userId }),
  };
};

const ofAppliance = (note: string, overrides: Partial<FeedEvent>): FeedEvent =>
  companyEvent(note, { type: 'circuit.changed', ...overrides });
