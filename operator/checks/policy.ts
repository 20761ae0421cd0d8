import { maximumPolicyLength } from '../../config/policy-length.ts';
import { readAddressLists } from '../addresses/address-lists.ts';
import { readDeployedPolicy } from '../addresses/deployed-policy.ts';
import { findDrift } from '../addresses/drift.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Finding, ok, warning } from './finding.ts';

const fullShare = 0.9;

export const checkPolicyLength = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { lengthCharacters } = await readDeployedPolicy(await connect());
  const what = `the deployed resource policy takes ${lengthCharacters} of ${maximumPolicyLength} characters`;
  return [
    lengthCharacters < fullShare * maximumPolicyLength
      ? ok(what)
      : warning(what, 'register fewer or wider blocks, or move the allowlist to an AWS WAF IP set'),
  ];
};

export const checkAddresses = async (context: OperatorContext): Promise<Finding[]> => {
  const drift = findDrift(await readAddressLists(context), context.stage);
  if (drift.length === 0) return [ok('configuration, contracts and deployed policy are in line')];
  return drift.map(({ companyId, what, remedy }) => warning(companyId ? `${companyId}: ${what}` : what, remedy));
};
