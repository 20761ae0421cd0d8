import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { keyLifetimeMonths } from '../api/limits.ts';
import type { keyAccesses } from '../api/schemas/api-key.ts';
import { randomBase62, toBase62, unbiasedBase62 } from './encoding.ts';
import { addMonths } from './time.ts';

/**
 * An API key as a partner receives it, 94 to 116 characters:
 *
 *     xHCSAPI_<companyId>_<YYYYMMDDTHHMMSSZ>_<keyId>_<secret><checksum>
 *
 * The expiry is in UTC; keyId has 16, secret 43 and checksum 6 base62 digits. The secret alone has 256 bits. The checksum is
 * the CRC-32 of everything before it, so that a mistyped key is recognized without a read of the store.
 */
const keyPattern = /^(xHCSAPI_([a-z0-9]{2,24})_(\d{8}T\d{6}Z)_([0-9A-Za-z]{16})_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

const keyIdDigits = 16;
const secretDigits = 43;
const checksumDigits = 6;

/** Distinguishes a key from all others, including a forged key with the same id. */
export type KeyIdentity = {
  readonly companyId: string;
  readonly keyId: string;
  /**
   * SHA-256 of the whole key. A fast hash is right: the secret cannot be guessed, and a slow hash would cost us, not a thief.
   */
  readonly hash: Uint8Array;
};

/**
 * What the text of a presented key contains: enough to find its record. Only the record's hash proves that the key is genuine.
 */
export type PresentedKey = KeyIdentity & {
  /** HKDF-SHA-256 of the key's text. Stages can derive bytes from the text, but can neither read it nor log it. */
  readonly deriveBytes: (salt: Uint8Array, info: string, byteCount: number) => Uint8Array;
};

export type KeyAccess = (typeof keyAccesses)[number];

/** What a key may do and from which addresses, and its company's label for it. Options do not change after the creation. */
export type KeyOptions = {
  /** A key with `read` access may call only GET operations, so it creates and deletes no keys. */
  readonly access: KeyAccess;
  /** Blocks within those of its company; null if the key works from all of them. */
  readonly allowedCidrs: readonly string[] | null;
  readonly label: string | null;
};

/** The options of a key for which none were requested. */
export const defaultKeyOptions: KeyOptions = { access: 'full', allowedCidrs: null, label: null };

/**
 * Returns the options of a new key. Without requested blocks it gets those of its creator, so that it works only where its
 * creator does.
 */
export const optionsOf = (
  { access, allowedCidrs, label }: { readonly [Name in keyof KeyOptions]?: KeyOptions[Name] | undefined },
  creator: Pick<KeyOptions, 'allowedCidrs'> = defaultKeyOptions,
): KeyOptions => ({
  access: access ?? defaultKeyOptions.access,
  allowedCidrs: allowedCidrs ?? creator.allowedCidrs,
  label: label ?? defaultKeyOptions.label,
});

/** The stored record of a key. */
export type StoredApiKey = KeyIdentity &
  KeyOptions & {
    /** The number of the company's slot that the key took. */
    readonly slot: number;
    readonly createdAtMs: number;
    /** Null if the operator issued the key. */
    readonly createdByKeyId: string | null;
    readonly expiresAtMs: number;
    /** `YYYY-MM-DD`, or null before its first use. */
    readonly lastUsedOn: string | null;
  };

/** A key before it is stored: the last time that its text is known. */
export type NewKey = ReturnType<typeof generateKey>;

/** Generates a key for the company, valid for six calendar months from the whole second of `nowMs`. */
export const generateKey = (companyId: string, nowMs: number) =>
  composeKey(companyId, nowMs, randomBase62(keyIdDigits + secretDigits));

/**
 * Derives the new key that the presented key creates with this salt and value: always the same text, so that it can be returned
 * again without being stored. Neither salt and hash alone nor the presented key alone yield it.
 */
export const deriveKey = (presented: PresentedKey, salt: Uint8Array, value: string, nowMs: number): NewKey => {
  const bytes = presented.deriveBytes(salt, `created API key ${value}`, derivedBytes);
  return composeKey(presented.companyId, nowMs, unbiasedBase62(bytes));
};

/** Twice the number of digits: bytes that yield no digit do not make the key too short. */
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

/** Returns undefined if the format or the checksum is wrong. */
export const parseKey = (text: string): PresentedKey | undefined => {
  const [, unchecked, companyId, , keyId, checksum] = keyPattern.exec(text) ?? [];
  if (!unchecked || !companyId || !keyId || checksum !== checksumOf(unchecked)) return undefined;
  const deriveBytes: PresentedKey['deriveBytes'] = (salt, info, byteCount) =>
    new Uint8Array(hkdfSync('sha256', text, salt, info, byteCount));
  return { companyId, keyId, hash: hashOf(text), deriveBytes };
};

/**
 * Returns what the text of a key contains, for people; undefined if it does not have the format of a key. Proves nothing,
 * because no record is read.
 */
export const inspectKey = (text: string) => {
  const [, unchecked, companyId, timestamp, keyId, checksum] = keyPattern.exec(text) ?? [];
  const expiresAtMs = fromCompactTimestamp(timestamp ?? '');
  if (!unchecked || !companyId || !keyId || Number.isNaN(expiresAtMs)) return undefined;
  return { companyId, keyId, expiresAtMs, isChecksumRight: checksum === checksumOf(unchecked) };
};

/** Compares in constant time, even if there is no record. */
export const isSameKey = (presented: Pick<KeyIdentity, 'hash'>, record: StoredApiKey | undefined): boolean =>
  timingSafeEqual(presented.hash, record?.hash ?? noHash) && record !== undefined;

export const isValidAt = ({ expiresAtMs }: { readonly expiresAtMs: number }, nowMs: number): boolean =>
  nowMs < expiresAtMs;

const noHash = new Uint8Array(32);

const hashOf = (text: string): Uint8Array => createHash('sha256').update(text).digest();

const checksumOf = (text: string): string => toBase62(crc32(text), checksumDigits);

/** `20260930T235959Z` */
const toCompactTimestamp = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.\d+|[-:]/g, '');

/** Returns NaN if there is no such time. */
const fromCompactTimestamp = (timestamp: string): number =>
  Date.parse(timestamp.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));
