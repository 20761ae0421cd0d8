import { readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { readContractPage } from '../../../lambdas/data/contracts/contracts.ts';
import { batchSize } from '../../../lambdas/data/store/reads.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { type Contract, gatewayIdsIn } from '../../../lambdas/domain/contract.ts';

/** What it takes to find them, beside reading all companies. */
export const absentGatewayReads = {
  Contracts: ['BatchGetItem'],
  'Contracts/index/byCompany': ['Query'],
  Appliances: ['BatchGetItem'],
} as const;

/** A gateway that a contract covers and that is not described, or was removed. */
type AbsentGateway = { readonly companyId: string; readonly userId: string; readonly gatewayId: string };

export type AbsentGateways = {
  readonly absent: readonly AbsentGateway[];
  /** How many covered gateways were looked at. */
  readonly count: number;
  /** Whether there are no others. */
  readonly isComplete: boolean;
};

/** So many contracts, and about as many gateways, are looked at: a stage can have a million of either. */
export const maxContracts = 1000;

/** Finds covered gateways that are not there, company by company until enough are looked at. An ended contract gives no access. */
export const findAbsentGateways = async (store: Store, companyIds: readonly string[]): Promise<AbsentGateways> => {
  const absent: AbsentGateway[] = [];
  let [contractCount, count] = [0, 0];
  for (const companyId of companyIds) {
    let after: string | undefined;
    do {
      if (contractCount >= maxContracts || count >= maxContracts) return { absent, count, isComplete: false };
      const { contracts, next } = await readContractPage(store, companyId, batchSize, after);
      const covered = contracts.filter(({ state }) => state === 'active').flatMap(coveredBy);
      const there = await readGateways(
        store,
        covered.map(({ gatewayId }) => gatewayId),
      );
      const ids = new Set(there.map(({ gatewayId }) => gatewayId));
      absent.push(...covered.filter(({ gatewayId }) => !ids.has(gatewayId)));
      contractCount += contracts.length;
      count += covered.length;
      after = next;
    } while (after !== undefined);
  }
  return { absent, count, isComplete: true };
};

const coveredBy = (contract: Contract): AbsentGateway[] => {
  const { companyId, userId } = contract;
  return gatewayIdsIn(contract).map((gatewayId) => ({ companyId, userId, gatewayId }));
};
