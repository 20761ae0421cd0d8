import * as z from 'zod/mini';
import { timestamp } from './common.ts';

/** The only answer that ever shows `apiKey`. */
export const apiKeyCreated = () =>
  z.looseObject({
    keyId: z.string(),
    apiKey: z.string(),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  });

export const apiKey = () =>
  z.looseObject({
    keyId: z.string(),
    createdAt: timestamp(),
    /** Null for a key that the operator issued. */
    createdByKeyId: z.nullable(z.string()),
    expiresAt: timestamp(),
    state: z.enum(['valid', 'expired']),
    lastUsedOn: z.nullable(z.iso.date()),
    /** True for the key that authenticates this very request; it cannot be deleted with itself. */
    inUse: z.boolean(),
  });

export const ownApiKey = () =>
  z.looseObject({
    companyId: z.string(),
    keyId: z.string(),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    sourceIp: z.string(),
    validKeys: z.int(),
    maxValidKeys: z.int(),
    lastValidKeyExpiresAt: timestamp(),
  });

/** How a problem names a key. */
export const keyReference = () => z.looseObject({ keyId: z.string(), expiresAt: timestamp() });
