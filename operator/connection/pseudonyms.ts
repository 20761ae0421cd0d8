import { GenerateMacCommand, type KMSClient } from '@aws-sdk/client-kms';
import { OperatorError } from '../error.ts';
import type { Connection } from './connection.ts';

/** The authentication code of KMS follows this prefix. The result is a valid user id. */
const pseudonymPrefix = 'erased-';

/** Whether an id in the audit log is the pseudonym of an erased owner. */
export const isPseudonym = (userId: string): boolean => new RegExp(`^${pseudonymPrefix}[\\w-]{43}$`).test(userId);

/** Returns a function that computes pseudonyms of owners with the key of a stage. It throws KMS's error if access is denied. */
export const pseudonymsOf =
  (kms: KMSClient, keyId: string | undefined): Connection['pseudonymOf'] =>
  async (userId) => {
    if (keyId === undefined)
      throw new OperatorError(
        'error',
        'The stage has no key OwnerPseudonyms. It was deployed from another version: deploy this one first.',
      );
    const Message = Buffer.from(`owner/${userId}`);
    const { Mac } = await kms.send(new GenerateMacCommand({ KeyId: keyId, MacAlgorithm: 'HMAC_SHA_256', Message }));
    if (!Mac) throw new OperatorError('error', 'KMS answered GenerateMac without a code; expected 32 bytes.');
    return pseudonymPrefix + Buffer.from(Mac).toString('base64url');
  };
