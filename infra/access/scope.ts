/** The account, region and stage that the rights of a deployment are limited to. */
export type Scope = {
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  readonly stage: string;
};

type Stage = Pick<Scope, 'stage'>;

/**
 * The stack of the rights. No name in it begins with the name of the stage's stack: what may be done to resources of that
 * stack by their names may not be done to these.
 */
export const accessStackNameOf = ({ stage }: Stage): string => `PartnerApiAccess-${stage}`;

/** The ARN of a resource in the account and the region. */
export const arnOf = ({ partition, region, account }: Scope, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${account}:${resource}`;

/** The ARN of a role or policy; IAM has no regions. */
export const iamArnOf = ({ partition, account }: Scope, resource: string): string =>
  `arn:${partition}:iam::${account}:${resource}`;

/** The policy that no role of the stack goes beyond. */
export const boundaryNameOf = (stage: Stage): string => `${accessStackNameOf(stage)}-boundary`;
