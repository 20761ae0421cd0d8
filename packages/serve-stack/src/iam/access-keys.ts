import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from './principal.ts';

/** Knows by the access key of a call who asks, at every service alike; signatures are not checked. */
export type AccessKeys = {
  /** Gives a new access key id that acts as the principal. */
  readonly issue: (principal: Principal) => string;
  readonly principalOf: (incoming: IncomingMessage) => Principal | undefined;
};

export const createAccessKeys = (): AccessKeys => {
  const principals = new Map<string, Principal>();
  return {
    issue: (principal) => {
      const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
      principals.set(accessKeyId, principal);
      return accessKeyId;
    },
    principalOf: ({ headers }) => {
      const [, accessKeyId = ''] = headers.authorization?.match(/Credential=(\w+)\//) ?? [];
      return principals.get(accessKeyId);
    },
  };
};
