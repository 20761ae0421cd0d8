import { defaultPolicyQuota } from '../../config/policy-length.ts';
import { readAddressLists } from '../addresses/address-lists.ts';
import { readDeployedPolicy } from '../addresses/deployed-policy.ts';
import { findDrift } from '../addresses/drift.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Finding, ok, warning } from './finding.ts';

const fullShare = 0.9;

export const checkPolicyLength = async ({ config, connect }: OperatorContext): Promise<Finding[]> => {
  const { lengthCharacters } = await readDeployedPolicy(await connect());
  const { resourcePolicyQuota: quota = defaultPolicyQuota } = config;
  const what = `the deployed resource policy takes ${lengthCharacters} of ${quota} characters`;
  return [
    lengthCharacters < fullShare * quota
      ? ok(what)
      : warning(
          what,
          'register fewer or wider blocks, let AWS raise the quota and write it as resourcePolicyQuota into the configuration, or move the allowlist to an AWS WAF IP set',
        ),
  ];
};

export const checkAddresses = async (context: OperatorContext): Promise<Finding[]> => {
  const drift = findDrift(await readAddressLists(context), context.stage);
  if (drift.length === 0) return [ok('configuration, contracts and deployed policy are in line')];
  return drift.map(({ companyId, what, remedy }) => warning(companyId ? `${companyId}: ${what}` : what, remedy));
};
