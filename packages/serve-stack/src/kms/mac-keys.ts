import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { type PolicyDocument, statementsOf } from '../iam/iam-policy.ts';
import { principalsIn } from '../iam/policy-principals.ts';
import { compileResourcePolicy, type ResourcePolicy } from '../iam/resource-access.ts';
import { rootArn } from '../template/environment.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';

type KeyProperties = {
  readonly KeyPolicy: PolicyDocument;
  readonly KeySpec?: string;
  readonly KeyUsage?: string;
};

const knownProperties = [
  ...['Description', 'Enabled', 'EnableKeyRotation', 'KeyPolicy', 'KeySpec', 'KeyUsage', 'MultiRegion'],
  ...['PendingWindowInDays', 'Tags'],
];

/** Reads the template's keys for message authentication codes, and compiles their policies, by the ARN of each. */
export const readMacKeys = (stack: Stack, resolve: Resolve): ReadonlyMap<string, ResourcePolicy> => {
  const { template, environment } = stack;
  const keys = readResources<KeyProperties>(template, resolve, 'AWS::KMS::Key', knownProperties);
  return new Map(
    keys.map(({ logicalId, KeyPolicy, KeySpec = 'SYMMETRIC_DEFAULT', KeyUsage = 'ENCRYPT_DECRYPT' }) => {
      requireKnown(`kind of the key ${logicalId}:`, [KeySpec], ['HMAC_256']);
      requireKnown(`use of the key ${logicalId}:`, [KeyUsage], ['GENERATE_VERIFY_MAC']);
      requireLeftToAccount(logicalId, KeyPolicy, rootArn(environment));
      return [
        resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
        compileResourcePolicy([KeyPolicy], environment.accountId),
      ];
    }),
  );
};

/** KMS asks the policies of roles only if the key's own policy leaves it to the account. */
const requireLeftToAccount = (logicalId: string, policy: PolicyDocument, owner: string) => {
  const isLeft = statementsOf(policy).some(
    ({ Effect, Principal, Action }) =>
      Effect === 'Allow' && [Action].flat().includes('kms:*') && principalsIn(Principal).aws.includes(owner),
  );
  if (!isLeft)
    throw new UserFacingError(
      `The policy of ${logicalId} does not allow kms:* to ${owner}, without which no role of the account may use the key.`,
    );
};
