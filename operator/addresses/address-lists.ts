import { compileAllowlist } from '../../config/allowlist.ts';
import type { Company } from '../../config/schema.ts';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { OperatorContext } from '../cli/context.ts';
import { readDeployedPolicy } from './deployed-policy.ts';

/** The three places that say from where the companies may call. */
export type AddressLists = {
  readonly companies: readonly Company[];
  /** What a deployment of the configuration would allow at the edge. */
  readonly compiledCidrs: readonly string[];
  readonly deployedCidrs: readonly string[];
  readonly contracts: readonly Contract[];
};

export const readAddressLists = async ({ config, connect }: OperatorContext): Promise<AddressLists> => {
  const connection = await connect();
  const [{ allowedCidrs }, contracts] = await Promise.all([
    readDeployedPolicy(connection),
    listContracts(connection.store),
  ]);
  return {
    companies: config.companies,
    compiledCidrs: compileAllowlist(config.companies),
    deployedCidrs: allowedCidrs,
    contracts,
  };
};
