import { randomUUID } from 'node:crypto';
import { circuitItemKey, toCircuit } from '../../lambdas/data/appliances/appliances.ts';
import { report } from '../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../lambdas/data/appliances/requested-changes.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Circuit } from '../../lambdas/domain/appliances/appliance.ts';
import { installGateway, readStored, toldAt } from './appliance.ts';
import { startMs } from './world.ts';

/** A heating circuit that nobody else has, reported an hour before `startMs`; who reports of it, and who requests changes. */
export const openCircuitScene = async (store: Store) => {
  const gateway = await installGateway(store);
  const { gatewayId } = gateway;
  const key = circuitItemKey(gatewayId, 'heating', 'c1');
  const ids = { circuitId: 'c1' };
  const stored = async () => toCircuit<'heating'>((await readStored(store, key)) ?? {});
  return {
    ...{ gateway, gatewayId, key, ids, stored },
    /** Reports so many milliseconds after `startMs`. */
    report: async (reported: object, afterMs: number, fulfilsVersion?: number, by: Store = store) =>
      (await report(by, key, ids, { reported, fulfilsVersion }, toldAt(startMs + afterMs))).outcome,
    /** Requests a change of the circuit as it is now; returns it as it is then. */
    change: async (values: Circuit<'heating'>['desired'] & object, nowMs = startMs) => {
      const { outcome } = await requestChange(store, auditContextOf(nowMs), {
        ...{ gateway, uses: 'heatingCircuits', key, item: await stored(), values, ifMatch: [], target: { gatewayId } },
      });
      if (outcome !== 'requested') throw new Error(`The change was not stored: ${outcome}`);
      return stored();
    },
  };
};

const auditContextOf = (nowMs: number) => ({
  companyId: 'acme',
  nowMs,
  requestId: randomUUID(),
  operation: 'test',
  actorKey: null,
});
