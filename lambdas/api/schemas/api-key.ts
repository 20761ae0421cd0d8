import * as z from 'zod/mini';
import { maxValidKeysPerCompany } from '../limits.ts';
import { companyId, count, type Documentation, id, matching, timestamp } from './common.ts';

/** The only answer that ever shows `apiKey`. */
export const apiKeyCreated = () =>
  z.looseObject({
    keyId: id(),
    apiKey: matching(/^xHCSAPI_[0-9A-Za-z_]{1,112}$/, 120),
    createdAt: timestamp(),
    expiresAt: timestamp(),
  });

export const apiKey = () =>
  z.looseObject({
    keyId: id(),
    createdAt: timestamp(),
    createdByKeyId: z.nullable(id()),
    expiresAt: timestamp(),
    state: z.enum(['valid', 'expired']),
    lastUsedOn: z.nullable(z.iso.date().check(z.maxLength('2026-03-31'.length))),
    inUse: z.boolean(),
  });

export const ownApiKey = () =>
  z.looseObject({
    companyId: companyId(),
    keyId: id(),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    sourceIp: matching(/^[0-9A-Fa-f:.]+$/, maxAddressCharacters),
    validKeys: count(maxValidKeysPerCompany),
    maxValidKeys: count(maxValidKeysPerCompany),
    lastValidKeyExpiresAt: timestamp(),
  });

/** An IPv6 address that ends in an IPv4 one. */
const maxAddressCharacters = 45;

/** A key as a problem lists it. */
export const apiKeyReference = () => z.looseObject({ keyId: id(), expiresAt: timestamp() });

const keyDescriptions = () => ({
  keyId: 'The id of the key. It is the part of the key that is not secret.',
  createdAt: 'When the key was created, UTC.',
  expiresAt: 'The key is valid before this moment, UTC.',
});

const exampleKey = () => ({
  keyId: 'f3QnT7wLx0RkVb2Z',
  createdAt: '2026-07-15T09:30:00Z',
  expiresAt: '2027-01-15T09:30:00Z',
});

export const apiKeyCreatedDocs = (): Documentation<typeof apiKeyCreated> => ({
  example: { ...exampleKey(), apiKey: `xHCSAPI_acme_20270115T093000Z_${exampleKey().keyId}_${'0'.repeat(49)}` },
  properties: {
    ...keyDescriptions(),
    apiKey: 'The whole key. Only this answer shows it; the service keeps a hash of it.',
  },
});

export const apiKeyDocs = (): Documentation<typeof apiKey> => ({
  example: { ...exampleKey(), createdByKeyId: null, state: 'valid', lastUsedOn: '2026-11-20', inUse: true },
  properties: {
    ...keyDescriptions(),
    createdByKeyId: 'The id of the key that created this one; null if the operator issued it.',
    state: 'Whether the key has expired. An expired key stays in the list until it is deleted.',
    lastUsedOn: 'The last day, UTC, on which the key was used; null if it was never used.',
    inUse: 'True for the key that authenticates this request. A key cannot delete itself.',
  },
});

export const ownApiKeyDocs = (): Documentation<typeof ownApiKey> => ({
  example: {
    companyId: 'acme',
    ...exampleKey(),
    sourceIp: '192.0.2.7',
    validKeys: 2,
    maxValidKeys: maxValidKeysPerCompany,
    lastValidKeyExpiresAt: '2027-05-20T08:00:00Z',
  },
  properties: {
    ...keyDescriptions(),
    companyId: 'The id of the company that owns the key.',
    sourceIp: 'The address that this request came from.',
    validKeys: 'The number of keys of the company that have not expired.',
    maxValidKeys: `The number of valid keys that a company may have: ${maxValidKeysPerCompany}.`,
    lastValidKeyExpiresAt:
      'When the last of the valid keys expires, UTC. After that moment only the operator can issue a key.',
  },
});

export const apiKeyReferenceDocs = (): Documentation<typeof apiKeyReference> => {
  const { keyId, expiresAt } = exampleKey();
  const { keyId: ofKeyId, expiresAt: ofExpiresAt } = keyDescriptions();
  return { example: { keyId, expiresAt }, properties: { keyId: ofKeyId, expiresAt: ofExpiresAt } };
};
