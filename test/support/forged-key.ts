import { crc32 } from 'node:zlib';
import { generateKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { toBase62 } from '../../lambdas/domain/base62.ts';
import { startMs } from './world.ts';

/** A key of right shape and checksum that is nobody's; it may name somebody's record. */
export const forgedKey = (companyId: string, keyId?: string): string => {
  const { apiKey, keyId: ownKeyId } = generateKey(companyId, startMs);
  const unchecked = apiKey.replace(ownKeyId, keyId ?? ownKeyId).slice(0, -6);
  return unchecked + toBase62(crc32(unchecked), 6);
};
