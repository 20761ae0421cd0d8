import { randomBytes } from 'node:crypto';
import { type Environment, rootArn } from '../template/environment.ts';
import type { AccessKeys } from './access-keys.ts';
import type { Principal } from './principal.ts';

/** With these a client of the SDK asks in the name of a principal. */
export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/**
 * Gives credentials for a principal that is no function of the stack, by its ARN. The root of the stack's own account may do
 * everything; anybody else may do what the policies of queues and buses say.
 */
export const credentialsOfPrincipals = (environment: Environment, accessKeys: AccessKeys) => {
  const owner = rootArn(environment);
  return (arn: string = owner): Credentials => {
    const principal: Principal = { arn, decide: () => (arn === owner ? 'allow' : 'implicit deny') };
    return { accessKeyId: accessKeys.issue(principal), secretAccessKey: randomBytes(30).toString('base64') };
  };
};
