import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import type { OperatorContext } from '../cli/context.ts';
import { findGrantDrift } from '../contracts/grant-drift.ts';
import { type Finding, ok, warning } from './finding.ts';

export const checkGateways = async ({ config, connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const drift = await findGrantDrift(store, config.companies, await listContracts(store));
  if (drift.length === 0) return [ok('the contracts cover the gateways that the configuration names, and no others')];
  return drift.map(({ companyId, what, remedy }) => warning(`${companyId}: ${what}`, remedy));
};
