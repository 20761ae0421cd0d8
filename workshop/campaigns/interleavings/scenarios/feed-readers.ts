import assert from 'node:assert/strict';
import { putCompany } from '../../../../lambdas/data/contracts/companies.ts';
import { contractKey, putContract, unopenedContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGateway } from '../../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../../lambdas/data/contracts/owner-decisions.ts';
import { appendEvents } from '../../../../lambdas/data/feed/append.ts';
import { readFeed } from '../../../../lambdas/data/feed/read.ts';
import { readViewersOf } from '../../../../lambdas/data/feed/viewers.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { findById } from '../../../../lambdas/domain/by-id.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { isShown } from '../../../../lambdas/domain/feed-event.ts';
import { companyEvent } from '../../../../test/support/feed.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { eventContext } from '../../../../test/support/stage/rows.ts';
import { onboard, partiesOf, startMs } from '../../../../test/support/world.ts';
import type { Around, Scenario } from '../scenario.ts';

const gatewayId = 'gw-1';
const acceptance = { consentVersion: 3, requiredVersion: 3 };

/** Appends an event of the gateway that the service received at that time. */
const appendOf = (store: Store, companyId: string, userId: string, afterMs: number) => {
  const event = companyEvent(1, { type: 'circuit.changed', userId, gatewayId, receivedAtMs: startMs + afterMs });
  return appendEvents(store, companyId, [event], startMs);
};

const contractIn = (tables: Tables, companyId: string, userId: string) =>
  rowsOf(tables, 'Contracts').get(contractKey({ companyId, userId }).contractId) as Contract | undefined;

/** The owners whose events a page of the feed shows, and the tables when the read began and when it ended. */
type Read = { readonly userIds: readonly string[]; readonly before: Tables; readonly after: Tables };

/** Reads the feed twice from its beginning, as the function does. */
const readTwice =
  (companyId: string, judge: (read: Read) => void) =>
  async (store: Store, { memory }: Around): Promise<void> => {
    for (let read = 0; read < 2; read++) {
      const before = memory.now();
      const page = await readFeed(store, companyId, { start: 'oldest', limit: 100 }, startMs);
      assert(page.outcome === 'page');
      const viewerOf = await readViewersOf(store, companyId, acceptance.requiredVersion, page.events);
      const shown = page.events.flatMap((event) => (isShown(viewerOf(event), event) ? [event] : []));
      judge({ userIds: shown.map(({ userId = '' }) => userId), before, after: memory.now() });
    }
  };

/** A company with a consented contract that covers a gateway with one event. */
const arrangeCovered = async (store: Store) => {
  const { companyId, contract } = await onboard(store);
  await grantGateway(store, partiesOf(companyId), gatewayId, startMs);
  await appendOf(store, companyId, contract.userId, 0);
  return { companyId, contract, userId: contract.userId };
};

export const feedReaderScenarios: readonly Scenario[] = [
  {
    name: 'a withdrawal of consent, and a reader who reads twice',
    guarantee: 'a read that began after the withdrawal shows no event of an appliance',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      const { companyId, userId } = await arrangeCovered(store);
      return {
        operations: {
          withdrawal: (own) => withdrawConsent(own, eventContext(companyId, 1), { userId }),
          reader: readTwice(companyId, ({ userIds, before }) => {
            if (contractIn(before, companyId, userId)?.acceptedConsentVersion === null) assert.deepEqual(userIds, []);
          }),
        },
      };
    },
  },
  {
    name: 'a gateway that moves to another owner and back, and a reader who reads twice',
    guarantee: 'a read after the move shows no event of the former owner, and none from before the new owner’s grant',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, contract, userId } = await arrangeCovered(store);
      await putContract(store, { ...contract, userId: 'second', gateways: {} });
      await appendOf(store, companyId, 'second', 0);
      const grantBy = (owner: string, afterMs: number) => (own: Store) =>
        applyGrant(own, eventContext(companyId, afterMs), { gatewayId, isGranted: true, userId: owner });
      const isCovered = (tables: Tables) =>
        findById(contractIn(tables, companyId, userId)?.gateways ?? {}, gatewayId)?.receivedAtMs === startMs;
      return {
        operations: {
          'to the second': grantBy('second', 1),
          back: grantBy(userId, 2),
          reader: readTwice(companyId, ({ userIds, before, after }) => {
            if (!isCovered(before)) assert.deepEqual(userIds, []);
            if (isCovered(after)) assert.deepEqual(userIds, [userId]);
            assert(!userIds.includes('second'), 'an event from before the second owner had it was shown');
          }),
        },
      };
    },
  },
  {
    name: 'an end of a contract, a new consent and a reader who reads twice',
    guarantee: 'both are applied, and a read that began after the end shows nothing of the owner',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, userId } = await arrangeCovered(store);
      const isEnded = (tables: Tables) => contractIn(tables, companyId, userId)?.state === 'ended';
      return {
        operations: {
          end: (own) => endContract(own, eventContext(companyId, 2), { userId }),
          consent: (own) =>
            acceptConsent(own, eventContext(companyId, 1), { userId, ...acceptance, consentVersion: 4 }),
          reader: readTwice(companyId, ({ userIds, before, after }) => {
            if (isEnded(before)) assert.deepEqual(userIds, []);
            if (!isEnded(after)) assert.deepEqual(userIds, [userId]);
          }),
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const { state, acceptedConsentVersion } = contractIn(tables, companyId, userId) ?? {};
          if (isUndisturbed) assert.deepEqual([state, acceptedConsentVersion], ['ended', 4]);
        },
      };
    },
  },
  {
    name: 'an opening that comes after its consent or before it, and a reader who reads twice',
    guarantee: 'an event is shown as soon as the contract is open and consented to, and not before',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const [companyId, userId] = ['newcomer', 'owner'];
      await putCompany(store, { companyId, name: 'A company', state: 'active', allowedCidrs: [], webhookHosts: [] });
      await putContract(store, unopenedContract({ companyId, userId }));
      await grantGateway(store, { companyId, userId }, gatewayId, startMs);
      await appendOf(store, companyId, userId, 10);
      const isOpen = (tables: Tables) => {
        const contract = contractIn(tables, companyId, userId);
        return contract?.state === 'active' && contract.acceptedConsentVersion !== null;
      };
      return {
        operations: {
          consent: (own) => acceptConsent(own, eventContext(companyId, 1), { userId, ...acceptance }),
          opening: (own) => openContract(own, eventContext(companyId, 2), { userId }),
          reader: readTwice(companyId, ({ userIds, before, after }) => {
            if (isOpen(before)) assert.deepEqual(userIds, [userId]);
            if (!isOpen(after)) assert.deepEqual(userIds, []);
          }),
        },
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert(isOpen(tables), 'the contract is not open, or not consented to');
        },
      };
    },
  },
];
