/** The AWS account that a local run stands for. */
export const account = { partition: 'aws', region: 'eu-central-1', id: '000000000000' } as const;

/** `arnOf('lambda', 'function:x')` → `arn:aws:lambda:eu-central-1:000000000000:function:x`. */
export const arnOf = (service: string, resource: string): string =>
  `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;

/** IAM is one for all regions: its ARNs name none. */
export const roleArn = (name: string): string => `arn:${account.partition}:iam::${account.id}:role/${name}`;
