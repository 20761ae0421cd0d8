/** The AWS account and region that a stack is for. */
export type Environment = { readonly partition: string; readonly region: string; readonly accountId: string };

/** Stands in where a stack leaves open what it is for. */
export const defaultEnvironment: Environment = {
  partition: 'aws',
  region: 'eu-central-1',
  accountId: '000000000000',
};

/** Reads `aws://123456789012/eu-west-1` as a cloud assembly names an environment; either part may be `unknown-…`. */
export const parseEnvironment = (name = ''): Environment => {
  const [, accountId, region] = /^aws:\/\/(\d{12}|unknown-account)\/([\w-]+)$/.exec(name) ?? [];
  return {
    ...defaultEnvironment,
    ...(accountId && accountId !== 'unknown-account' && { accountId }),
    ...(region && region !== 'unknown-region' && { region }),
  };
};

/** Names a resource: `arnOf(environment, 'lambda', 'function:x')` → `arn:aws:lambda:eu-central-1:0…0:function:x`. */
export const arnOf = ({ partition, region, accountId }: Environment, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${accountId}:${resource}`;

/** Names a role; IAM is one for all regions, so that its ARNs name none. */
export const roleArn = ({ partition, accountId }: Environment, name: string): string =>
  `arn:${partition}:iam::${accountId}:role/${name}`;

/** Names an account as a principal. */
export const rootArn = ({ partition, accountId }: Environment): string => `arn:${partition}:iam::${accountId}:root`;
