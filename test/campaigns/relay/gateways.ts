import { tables } from '../../../lambdas/api/tables.ts';
import {
  changeItemOf,
  circuitItemKey,
  readGateways,
  readShadows,
  timeProgramItemKey,
} from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway } from '../../../lambdas/data/appliances/descriptions.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateway-facts.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-changes.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import type { Gateway } from '../../../lambdas/domain/appliances/appliance.ts';
import { connectivityFacts } from '../../../lambdas/domain/appliances/gateway-facts.ts';
import { toldAt } from '../../support/appliance.ts';
import { startMs } from '../../support/world.ts';
import { plate } from '../gateway-facts/facts.ts';
import { calmStore, openMemory } from '../interleavings/store/memory.ts';
import { emptyTables } from '../interleavings/store/tables.ts';

/** What changes are requested of, at each gateway. */
export const items = [circuitItemKey('', 'heating', 'hc1'), timeProgramItemKey('', 'heating', 'hc1', '1')].map(
  ({ sk }) => ({ sk, name: JSON.stringify(changeItemOf(sk)) }),
);

export type Item = (typeof items)[number];

/** Gateways with a circuit and its time program, in a store in memory. */
export const createGateways = async (gatewayIds: readonly string[]) => {
  const memory = openMemory(tables, emptyTables(tables));
  const store = calmStore(memory);
  const requested = new Map<string, number[]>();
  let nowMs = startMs;
  const now = () => (nowMs += 1000);
  const circuits = [{ family: 'heating' as const, circuitId: 'hc1', timeProgramIds: ['1'] }];
  const shadowOf = async (gatewayId: string, { sk }: Item) =>
    (await readShadows(store, gatewayId)).find((shadow) => shadow.sk === sk);

  const gateways = {
    memory,
    /** Requests a value that no appliance ever reports by itself. */
    request: async (gatewayId: string, item: Item): Promise<void> => {
      const [gateway] = (await readGateways(store, [gatewayId])) as [Gateway];
      const shadow = await shadowOf(gatewayId, item);
      if (!shadow) throw new Error(`${gatewayId} has no ${item.name}.`);
      const requestedAtMs = now();
      const context = {
        companyId: 'acme',
        nowMs: requestedAtMs,
        requestId: `r-${requestedAtMs}`,
        operation: 'test',
        actorKey: null,
      };
      const key = { gatewayId, sk: item.sk };
      const given = { gateway, key, item: shadow, ifMatch: [], target: { gatewayId } };
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
      await report(store, { gatewayId, sk }, {}, { reported: { value: atMs }, fulfilsVersion }, toldAt(atMs));
    },
    connect: async (gatewayId: string): Promise<void> => {
      const atMs = now();
      await reportFacts(store, gatewayId, connectivityFacts('online', atMs), toldAt(atMs));
    },
    requestedVersions: (gatewayId: string, { name }: Item): readonly number[] =>
      requested.get(`${gatewayId} ${name}`) ?? [],
    openVersion: async (gatewayId: string, { sk }: Item): Promise<number | undefined> =>
      (await listOpenChanges(store, gatewayId)).find((change) => change.sk === sk)?.version,
  };
  for (const gatewayId of gatewayIds) {
    await describeGateway(store, { ...plate, gatewayId, name: gatewayId, circuits }, toldAt(now()));
    for (const item of items) await gateways.report(gatewayId, item);
  }
  return gateways;
};

export type Gateways = Awaited<ReturnType<typeof createGateways>>;
