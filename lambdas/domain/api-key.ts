import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { keyLifetimeMonths, maxIdempotencyKeyCharacters } from '../api/limits.ts';
import type { keyAccesses } from '../api/schemas/api-key.ts';
import { randomBase62, toBase62, unbiasedBase62 } from './encoding.ts';
import { addMonths } from './time.ts';

/**
 * An API key as a partner holds it, 97 characters and more:
 *
 *     xHCSAPI_<companyId>_<YYYYMMDDTHHMMSSZ>_<keyId>_<secret><checksum>
 *
 * The expiry is UTC; keyId 16, secret 43 and checksum 6 base62 digits. The secret alone holds 256 bits; the checksum is the
 * CRC-32 of all before it, so that a mistyped key is known for one without asking the store.
 */
const keyPattern = /^(xHCSAPI_([a-z0-9]{2,24})_(\d{8}T\d{6}Z)_([0-9A-Za-z]{16})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

const keyIdDigits = 16;
const secretDigits = 43;
const checksumDigits = 6;

/** Tells a key from all others, also from one that was made up under its id. */
export type KeyIdentity = {
  readonly companyId: string;
  readonly keyId: string;
  /** SHA-256 of the whole key. A fast hash is right: the secret cannot be guessed, and a slow one would cost us, not a thief. */
  readonly hash: Uint8Array;
};

/** What a presented key says of itself: where to look for its record. Only the record's hash tells whether it is right. */
export type PresentedKey = KeyIdentity & {
  /** HKDF-SHA-256 of the key's text: lets a stage make use of the text that none of them can read, and so none can log. */
  readonly deriveBytes: (salt: Uint8Array, info: string, byteCount: number) => Uint8Array;
};

export type KeyAccess = (typeof keyAccesses)[number];

/** What a key may do and from where, and what its company calls it. It stays as it was created. */
export type KeyOptions = {
  /** A key that reads may call no operation but those of GET, so it creates and deletes no key. */
  readonly access: KeyAccess;
  /** Blocks out of those of its company; null if it works from all of them. */
  readonly allowedCidrs: readonly string[] | null;
  readonly label: string | null;
};

/** What a key is for which nothing else was asked, and every key from before there were options. */
export const usualOptions: KeyOptions = { access: 'full', allowedCidrs: null, label: null };

/** The options of a key as they are asked for; a key with full access makes none that works from where it does not itself. */
export const optionsOf = (
  { access, allowedCidrs, label }: { readonly [Name in keyof KeyOptions]?: KeyOptions[Name] | undefined },
  creator: Pick<KeyOptions, 'allowedCidrs'> = usualOptions,
): KeyOptions => ({
  access: access ?? usualOptions.access,
  allowedCidrs: allowedCidrs ?? creator.allowedCidrs,
  label: label ?? usualOptions.label,
});

/** What is kept of a key. */
export type StoredApiKey = KeyIdentity &
  KeyOptions & {
    /** The number of the company's slot that the key was given. */
    readonly slot: number;
    readonly createdAtMs: number;
    /** Null if the operator issued the key. */
    readonly createdByKeyId: string | null;
    readonly expiresAtMs: number;
    /** `YYYY-MM-DD`, or null before its first use. */
    readonly lastUsedOn: string | null;
  };

/** A key before it is registered: its text is known for the last time. */
export type NewKey = ReturnType<typeof generateKey>;

/** A new key for the company, valid for six calendar months from the whole second of `nowMs`. */
export const generateKey = (companyId: string, nowMs: number) =>
  composeKey(companyId, nowMs, randomBase62(keyIdDigits + secretDigits));

/**
 * The new key that the presented one creates under this salt and value: always the same text, so that it can be shown
 * again without being kept. Salt and hash alone do not yield it, nor does the presented key alone.
 */
export const deriveKey = (presented: PresentedKey, salt: Uint8Array, value: string, nowMs: number): NewKey => {
  const bytes = presented.deriveBytes(salt, `created API key ${value}`, derivedBytes);
  return composeKey(presented.companyId, nowMs, unbiasedBase62(bytes));
};

/** Twice as many as digits are needed, so that those that give none never matter. */
const derivedBytes = 2 * (keyIdDigits + secretDigits);

const composeKey = (companyId: string, nowMs: number, digits: string) => {
  const createdAtMs = Math.floor(nowMs / 1000) * 1000;
  const expiresAtMs = addMonths(createdAtMs, keyLifetimeMonths);
  const keyId = digits.slice(0, keyIdDigits);
  const secret = digits.slice(keyIdDigits, keyIdDigits + secretDigits);
  const unchecked = `xHCSAPI_${companyId}_${toCompactTimestamp(expiresAtMs)}_${keyId}_${secret}`;
  const apiKey = unchecked + checksumOf(unchecked);
  return { apiKey, companyId, keyId, hash: hashOf(apiKey), createdAtMs, expiresAtMs };
};

/** Undefined if shape or checksum are wrong. */
export const parseKey = (text: string): PresentedKey | undefined => {
  const [, unchecked, companyId, , keyId, checksum] = keyPattern.exec(text) ?? [];
  if (!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)) return undefined;
  const deriveBytes: PresentedKey['deriveBytes'] = (salt, info, byteCount) =>
    new Uint8Array(hkdfSync('sha256', text, salt, info, byteCount));
  return { companyId, keyId, hash: hashOf(text), deriveBytes };
};

/** What the text of a key says to a person; undefined if it has not the shape of one. Proves nothing, as nothing is looked up. */
export const inspectKey = (text: string) => {
  const [, unchecked, companyId, timestamp, keyId, checksum] = keyPattern.exec(text) ?? [];
  const expiresAtMs = fromCompactTimestamp(timestamp ?? '');
  if (!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)) return undefined;
  return { companyId, keyId, expiresAtMs, isChecksumRight: checksum === checksumOf(unchecked) };
};

/** Compares in constant time, also if there is no record. */
export const isSameKey = (presented: Pick<KeyIdentity, 'hash'>, record: StoredApiKey | undefined): boolean =>
  timingSafeEqual(presented.hash, record?.hash ?? noHash) && record !== undefined;

export const isValidAt = ({ expiresAtMs }: { readonly expiresAtMs: number }, nowMs: number): boolean =>
  nowMs < expiresAtMs;

const noHash = new Uint8Array(32);

const hashOf = (text: string): Uint8Array => createHash('sha256').update(text).digest();

const checksumOf = (text: string): string => toBase62(crc32(text), checksumDigits);

/** `20260930T235959Z` */
const toCompactTimestamp = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.\d+|[-:]/g, '');

/** NaN if there is no such time. */
const fromCompactTimestamp = (timestamp: string): number =>
  Date.parse(timestamp.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));

/**
 * The value of an `Idempotency-Key` field: a string as the IETF draft wants it, in quotes with `\"` and `\\` escaped, or
 * the same value bare, as many clients send it. Undefined if it is neither, or is not 1 to 255 visible ASCII characters.
 */
export const parseIdempotencyKey = (field: string): string | undefined => {
  const value = field.startsWith('"') ? unquoted(field) : field;
  return value !== undefined && visibleAscii.test(value) ? value : undefined;
};

export const expectedIdempotencyKey = `Expected one value of 1 to ${maxIdempotencyKeyCharacters} visible ASCII characters, in quotes or bare.`;

const visibleAscii = new RegExp(`^[!-~]{1,${maxIdempotencyKeyCharacters}}$`);

/** RFC 9651: no escapes but these two, and no quote before the last. */
const unquoted = (field: string): string | undefined =>
  /^"((?:[^"\\]|\\["\\])*)"$/.exec(field)?.[1]?.replaceAll(/\\(.)/g, '$1');
