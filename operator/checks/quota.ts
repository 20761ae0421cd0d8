import { deployOf } from '../addresses/drift.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The alarm and the dashboard measure by the configured quota: with a wrong one they warn too late, or too early. */
export const checkConcurrencyQuota = async ({ openAccount, config, stage }: OperatorContext): Promise<Finding[]> => {
  const { readConcurrencyQuota } = await openAccount();
  if (!readConcurrencyQuota) return [ok('not applicable: a local run has none')];
  const { lambdaConcurrencyQuota: configured } = config.monitoring;
  const quota = await readConcurrencyQuota();
  if (quota === configured) return [ok(`the account has ${quota} concurrent executions, as configured`)];
  return [
    warning(
      `the account has ${quota} concurrent executions, config/${stage}.json says ${configured}`,
      `write ${quota} as monitoring.lambdaConcurrencyQuota there, and ${deployOf(stage)}; or ask Service Quotas for ${configured}`,
    ),
  ];
};
