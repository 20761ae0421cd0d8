import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { type MacKeyName, macKeyVariable, requireVariable } from '../api/environment.ts';
import { maxAttempts, type RequestTimeouts } from '../data/store/store.ts';

/** Returns the state of a key in KMS, such as `Enabled`, `Disabled` or `PendingDeletion`. Throws what the SDK throws. */
type ReadKeyState = (name: MacKeyName) => Promise<string>;

/** Reads the states of the keys that the variables name. */
export const createKeyStateReader = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): ReadKeyState => {
  const client = new KMSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (name) => {
    const KeyId = requireVariable(variables, macKeyVariable(name), 'names the key in watchedMacKeys');
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    return KeyMetadata?.KeyState ?? 'unknown';
  };
};
