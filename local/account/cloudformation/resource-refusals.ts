import { isDeepStrictEqual } from 'node:util';
import { compilePolicies } from '../../aws/iam/iam-policy.ts';
import type { Environment } from '../../aws/template/environment.ts';
import { managedPolicyIn, type RequestsOf, refusalByRole } from './execution-rights.ts';
import { namePropertyOf } from './specification.ts';
import type { DeployedResource, ResourceChange, StackRecord } from './stack-record.ts';

export type RefusalContext = {
  readonly stack: StackRecord;
  readonly change: ResourceChange;
  readonly old: DeployedResource | undefined;
  readonly made: DeployedResource;
  readonly environment: Environment;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  /** What a change of a resource asks other services for. */
  readonly requestsOf: RequestsOf;
  /** Whether a bucket has an object: the code of functions has to be there. */
  readonly hasObject: (bucket: string, key: string) => boolean;
};

/** Why CloudFormation does not create or update a resource, as its event says; `undefined` if it does. */
export const refusalOf = (context: RefusalContext): string | undefined => {
  for (const check of [deniedByPolicy, deniedByRole, missingBoundary, missingCode, namedReplacement, severalIndexes]) {
    const refusal = check(context);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
};

/** With a stack policy, what is not allowed is denied. */
const deniedByPolicy = ({ stack, change }: RefusalContext): string | undefined => {
  if (stack.policy === undefined || change.Action === 'Add') return undefined;
  const action = change.Replacement === 'True' ? 'Update:Replace' : 'Update:Modify';
  const decide = compilePolicies([JSON.parse(stack.policy)]);
  if (decide({ action, resource: `LogicalResourceId/${change.LogicalResourceId}` }) === 'allow') return undefined;
  return `Action denied by stack policy: Statement denies the action ${action}`;
};

const deniedByRole = ({ stack, old, made, requestsOf, ...deployed }: RefusalContext): string | undefined =>
  stack.roleArn && refusalByRole(deployed, stack.roleArn, requestsOf(made, old ? 'update' : 'create'));

const missingBoundary = ({ made, stacks }: RefusalContext): string | undefined => {
  const { PermissionsBoundary: boundary } = made.properties;
  if (made.type !== 'AWS::IAM::Role' || typeof boundary !== 'string') return undefined;
  const resources = [...stacks.values()].flatMap((stack) => [...stack.resources.values()]);
  return managedPolicyIn(resources, boundary)
    ? undefined
    : `Scope ARN: ${boundary} does not exist or is not attachable.`;
};

const missingCode = ({ made, hasObject }: RefusalContext): string | undefined => {
  const { S3Bucket, S3Key } = (made.properties.Code ?? {}) as { S3Bucket?: string; S3Key?: string };
  if (S3Key === undefined || hasObject(String(S3Bucket), S3Key)) return undefined;
  return `Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.`;
};

/** A replacement is made before the old one is deleted, and two cannot have the same name. */
const namedReplacement = ({ change, old, made }: RefusalContext): string | undefined => {
  const nameProperty = namePropertyOf(made.type) ?? '';
  if (!old || change.Replacement !== 'True' || made.properties[nameProperty] === undefined) return undefined;
  if (made.properties[nameProperty] !== old.properties[nameProperty]) return undefined;
  return `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${made.physicalId} and update the stack again.`;
};

type Index = { readonly IndexName: string };

/** DynamoDB makes or deletes one global index at a time. */
const severalIndexes = ({ old, made }: RefusalContext): string | undefined => {
  if (!old || old.physicalId !== made.physicalId) return undefined;
  const [before, after] = [old, made].map(
    ({ properties }) => (properties.GlobalSecondaryIndexes ?? []) as readonly Index[],
  ) as [readonly Index[], readonly Index[]];
  const isIn = (indexes: readonly Index[], index: Index) => indexes.some((each) => isDeepStrictEqual(each, index));
  const changed = [...before.filter((each) => !isIn(after, each)), ...after.filter((each) => !isIn(before, each))];
  if (changed.length <= 1) return undefined;
  return 'Cannot perform more than one GSI creation or deletion in a single update';
};
