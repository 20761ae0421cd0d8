import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import {
  changeItemOf,
  circuitItemKey,
  readGateways,
  readShadows,
} from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import { connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import type { FifoMessage, SendToQueue } from '../../../lambdas/runtime/senders.ts';
import { factTimesAt } from '../../../test/support/appliance.ts';
import { calmStore, openMemory } from '../../../test/support/memory-store/memory.ts';
import { emptyTables } from '../../../test/support/memory-store/tables.ts';
import { actOf } from '../../../test/support/stage/rows.ts';
import { onboard, startMs } from '../../../test/support/world.ts';
import { plate } from '../gateway-facts.ts';

type Change = { readonly gatewayId: string; readonly item: string; readonly version: number };

/** A FIFO queue that accepts each deduplication id once, as SQS does within five minutes. */
export const openQueue = () => {
  const taken = new Set<string>();
  const sent: Change[] = [];
  const send: SendToQueue = async (_queue, { body, groupId, deduplicationId }: FifoMessage) => {
    if (taken.has(deduplicationId)) return;
    taken.add(deduplicationId);
    const { data } = JSON.parse(body) as RequestedChangeEvent;
    sent.push({ gatewayId: groupId, item: JSON.stringify(data.item), version: data.version });
  };
  return { send, sent: sent as readonly Change[] };
};

/** The gateway backend: it applies a version of an item if it is higher than the last one, and sometimes loses messages. */
export const openBackend = (sent: readonly Change[], isLost: () => boolean) => {
  let losesNothing = false;
  const applied = new Map<string, number[]>();
  let next = 0;
  return {
    /** Returns all applied versions of an item, in order. */
    versionsOf: (gatewayId: string, { name }: { readonly name: string }): readonly number[] =>
      applied.get(`${gatewayId} ${name}`) ?? [],
    loseNothing: (): void => {
      losesNothing = true;
    },
    receive: (): void => {
      for (; next < sent.length; next++) {
        const change = sent[next] as Change;
        if (!losesNothing && isLost()) continue;
        const key = `${change.gatewayId} ${change.item}`;
        const versions = applied.get(key) ?? [];
        if (change.version > (versions.at(-1) ?? 0)) applied.set(key, [...versions, change.version]);
      }
    },
  };
};

export type Backend = ReturnType<typeof openBackend>;

/** The items of each gateway that receive changes. */
export const items = [circuitItemKey('', 'heating', 'hc1'), timeProgramItemKey('', 'heating', 'hc1', '1')].map(
  ({ sk }) => ({ sk, name: JSON.stringify(changeItemOf(sk)) }),
);

export type Item = (typeof items)[number];

/** Creates gateways with a circuit and its time program, on which a company may act, in a store in memory. */
export const createGateways = async (gatewayIds: readonly string[]) => {
  const memory = openMemory(tables, emptyTables(tables));
  const store = calmStore(memory);
  const requested = new Map<string, number[]>();
  const { companyId, contract } = await onboard(store);
  const { userId } = contract;
  let nowMs = startMs;
  const now = () => (nowMs += 1000);
  const circuits = [{ family: 'heating' as const, circuitId: 'hc1', timeProgramIds: ['1'] }];
  const shadowOf = async (gatewayId: string, { sk }: Item) =>
    (await readShadows(store, gatewayId)).find((shadow) => shadow.sk === sk);

  const gateways = {
    memory,
    /** Requests a value that an appliance reports only as a result of the change. */
    request: async (gatewayId: string, item: Item): Promise<void> => {
      const [gateway] = (await readGateways(store, [gatewayId])) as [Gateway];
      const shadow = await shadowOf(gatewayId, item);
      if (!shadow) throw new Error(`${gatewayId} has no ${item.name}.`);
      const requestedAtMs = now();
      const context = { ...actOf(companyId, null, requestedAtMs), userId };
      const key = { gatewayId, sk: item.sk };
      const permittedSinceMs = requestedAtMs;
      const given = { gateway, key, item: shadow, ifMatch: [], permittedSinceMs, target: { gatewayId } };
      const { outcome } = await requestChange(store, context, {
        ...given,
        uses: 'heatingCircuits',
        values: { value: -requestedAtMs },
      });
      if (outcome !== 'requested') throw new Error(`The change was not requested: ${outcome}.`);
      const name = `${gatewayId} ${item.name}`;
      requested.set(name, [...(requested.get(name) ?? []), shadow.version + 1]);
    },
    report: async (gatewayId: string, { sk }: Item, fulfilsVersion?: number): Promise<void> => {
      const atMs = now();
      await report(store, { gatewayId, sk }, { reported: { value: atMs }, fulfilsVersion }, factTimesAt(atMs));
    },
    connect: async (gatewayId: string): Promise<void> => {
      const atMs = now();
      await reportFacts(store, gatewayId, connectivityFacts('online', atMs), factTimesAt(atMs));
    },
    requestedVersions: (gatewayId: string, { name }: Item): readonly number[] =>
      requested.get(`${gatewayId} ${name}`) ?? [],
    openVersion: async (gatewayId: string, { sk }: Item): Promise<number | undefined> =>
      (await listOpenChanges(store, gatewayId)).find((change) => change.sk === sk)?.version,
  };
  for (const gatewayId of gatewayIds) {
    await applyGrant(store, actOf(companyId, null, now()), { gatewayId, userId, isGranted: true });
    await describeGateway(store, { ...plate, gatewayId, name: gatewayId, circuits }, factTimesAt(now()));
    for (const item of items) await gateways.report(gatewayId, item);
  }
  return gateways;
};

export type Gateways = Awaited<ReturnType<typeof createGateways>>;
