import { readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { readContractPage } from '../../../lambdas/data/contracts/contracts.ts';
import { batchSize } from '../../../lambdas/data/store/reads.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { type Contract, gatewayIdsIn } from '../../../lambdas/domain/contract.ts';

/** The permissions to find absent gateways, in addition to reading all companies. */
export const absentGatewayReads = {
  Contracts: ['BatchGetItem'],
  'Contracts/index/byCompany': ['Query'],
  Appliances: ['BatchGetItem'],
} as const;

/** A gateway that a contract covers but that was never described, or was removed. */
type AbsentGateway = { readonly companyId: string; readonly userId: string; readonly gatewayId: string };

type AbsentGateways = {
  readonly absent: readonly AbsentGateway[];
  /** The number of covered gateways that were checked. */
  readonly count: number;
  /** Whether all covered gateways were checked. */
  readonly isComplete: boolean;
};

/** The maximum number of contracts, and about that of gateways, to check: a stage can have a million of either. */
const maxContracts = 1000;

/** Finds absent gateways, company by company, up to the maximum. Skips ended contracts, which give no access. */
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
