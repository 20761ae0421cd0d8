import * as z from 'zod/mini';
import { maxCidrsPerKey, maxLabelCharacters, maxValidKeysPerCompany } from '../limits.ts';
import { companyId, count, type Documentation, id, line, matching, timestamp } from './common.ts';

/** A key with `read` may call operations of GET alone. */
export const keyAccesses = ['full', 'read'] as const;

const cidr = () => matching(cidrPattern, maxCidrCharacters, expectedCidr);

const cidrPattern = /^[0-9A-Fa-f:.]{2,45}\/(0|[1-9]\d{0,2})$/;
const maxCidrCharacters = 49;
const expectedCidr = 'Expected a block of addresses like 192.0.2.0/24 or 2001:db8::/48.';

export const keyLabel = () =>
  line(1, maxLabelCharacters, `Expected one line of 1 to ${maxLabelCharacters} characters without control characters.`);

const cidrs = () => z.array(cidr()).check(z.minLength(1), z.maxLength(maxCidrsPerKey));

/** The options of a key to create. Null is as good as absent, so that those of an answer can be sent as they came. */
export const apiKeyCreation = () =>
  z.strictObject({
    access: z.optional(z.enum(keyAccesses)),
    allowedCidrs: z.optional(z.nullable(cidrs())),
    label: z.optional(z.nullable(keyLabel())),
  });

export const deletionQuery = () => z.object({ descendants: z.optional(z.enum(['true', 'false'])) });

export const deletionQueryDescriptions = () => ({
  descendants:
    'Whether to also delete every key that the key created, and every key that these keys created in turn, even if a key in between was already deleted. If the request is interrupted, send it again. The default is `false`.',
});

const keyOptions = () => ({
  access: z.enum(keyAccesses),
  allowedCidrs: z.nullable(cidrs()),
  label: z.nullable(keyLabel()),
});

/** The only answer that ever shows `apiKey`. */
export const apiKeyCreated = () =>
  z.looseObject({
    keyId: id(),
    apiKey: matching(/^xHCSAPI_[0-9A-Za-z_]{1,112}$/, 120),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    ...keyOptions(),
  });

export const apiKey = () =>
  z.looseObject({
    keyId: id(),
    createdByKeyId: z.nullable(id()),
    state: z.enum(['valid', 'expired']),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    lastUsedOn: z.nullable(z.iso.date().check(z.maxLength('2026-03-31'.length))),
    inUse: z.boolean(),
    ...keyOptions(),
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
    ...keyOptions(),
  });

/** An IPv6 address that ends in an IPv4 one. */
const maxAddressCharacters = 45;

/** A key as a problem lists it. */
export const apiKeyReference = () =>
  z.looseObject({
    keyId: id(),
    expiresAt: timestamp(),
    access: z.enum(keyAccesses),
    label: z.nullable(keyLabel()),
  });

const keyDescriptions = () => ({
  keyId: 'The id of the key, which is not secret.',
  createdAt: 'When the key was created, UTC.',
  expiresAt: 'The key is valid before this moment, UTC.',
});

const optionDescriptions = () => ({
  access: 'The access of the key: `full` allows all operations, `read` only GET operations.',
  allowedCidrs:
    'The addresses from which the key works; null if it works from all addresses that are registered for the company.',
  label: 'The name of the key; null if it has none.',
});

export const apiKeyCreationDocs = (): Documentation<typeof apiKeyCreation> => ({
  // It works as it is in the demo world, whose addresses are others.
  example: { access: 'read', label: askedOptions().label },
  properties: {
    access:
      'The access of the key: `full`, the default, allows all operations; `read` allows only GET operations. A key with `read` cannot create or delete keys.',
    allowedCidrs: `The addresses from which the key works, as up to ${maxCidrsPerKey} blocks (\`address/prefix length\`). Each block must be within a block that is registered for your company and, if the key in use is restricted, within one of its blocks. If absent or null, the new key has the blocks of the key in use.`,
    label: `A name for the key, which lists show: one line of 1 to ${maxLabelCharacters} characters. Do not use a secret or the name of a person, because logs keep the label.`,
  },
});

const exampleKeyId = 'f3QnT7wLx0RkVb2Z';
const exampleTimes = () => ({ createdAt: '2026-07-15T09:30:00Z', expiresAt: '2027-01-15T09:30:00Z' });
const exampleKey = () => ({ keyId: exampleKeyId, ...exampleTimes() });

const askedOptions = () => ({ access: 'read' as const, allowedCidrs: ['192.0.2.0/28'], label: 'Reporting' });

const exampleOptions = () => ({ access: 'full' as const, allowedCidrs: null, label: 'Gateway of the north' });

export const apiKeyCreatedDocs = (): Documentation<typeof apiKeyCreated> => ({
  example: {
    keyId: exampleKeyId,
    apiKey: `xHCSAPI_acme_20270115T093000Z_${exampleKeyId}_${'0'.repeat(49)}`,
    ...exampleTimes(),
    ...askedOptions(),
  },
  properties: {
    ...keyDescriptions(),
    ...optionDescriptions(),
    apiKey: 'The whole key. Only this response shows it; the service stores only a hash of it.',
  },
});

export const apiKeyDocs = (): Documentation<typeof apiKey> => ({
  example: {
    keyId: exampleKeyId,
    createdByKeyId: null,
    state: 'valid',
    ...exampleTimes(),
    lastUsedOn: '2026-11-20',
    inUse: true,
    ...exampleOptions(),
  },
  properties: {
    ...keyDescriptions(),
    ...optionDescriptions(),
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
    ...exampleOptions(),
  },
  properties: {
    ...keyDescriptions(),
    ...optionDescriptions(),
    companyId: 'The id of the company that owns the key.',
    sourceIp: 'The source address of this request.',
    validKeys: 'The number of keys of the company that have not expired.',
    maxValidKeys: `The number of valid keys that a company may have: ${maxValidKeysPerCompany}.`,
    lastValidKeyExpiresAt:
      'When the last valid key that can create another key expires, UTC. Keys with full access that work from an address of your company can create keys; if there is no such key, the time is that of the last valid key. After this time, only the operator can issue a key.',
  },
});

export const apiKeyReferenceDocs = (): Documentation<typeof apiKeyReference> => {
  const { keyId, expiresAt } = exampleKey();
  const { access, label } = exampleOptions();
  const { createdAt, ...ofKey } = keyDescriptions();
  const { allowedCidrs, ...ofOptions } = optionDescriptions();
  return { example: { keyId, expiresAt, access, label }, properties: { ...ofKey, ...ofOptions } };
};
