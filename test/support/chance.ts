import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Makes all modules get the given random numbers, and the same random bytes and ids in every run, until the returned function
 * is called. Ids are included because they decide in which order a query finds items.
 */
export const replaceChance = (draw: () => number): (() => void) => {
  const { random } = Math;
  const { randomBytes, randomUUID } = crypto;
  let count = 0;
  const nextBytes = (size: number) =>
    crypto.hash('shake256', `${count++}`, { outputEncoding: 'buffer', outputLength: size });
  const nextUuid = () =>
    nextBytes(16)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as ReturnType<typeof randomUUID>;
  Math.random = draw;
  Object.assign(crypto, { randomBytes: nextBytes, randomUUID: nextUuid });
  syncBuiltinESMExports();
  return () => {
    Math.random = random;
    Object.assign(crypto, { randomBytes, randomUUID });
    syncBuiltinESMExports();
  };
};
