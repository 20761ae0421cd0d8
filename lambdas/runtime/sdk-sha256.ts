import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Checksum, SourceData } from '@aws-sdk/types';

/**
 * Replaces the SDK's SHA-256 in the bundles, under its name. Node.js hashes a text at once much faster than in steps, and most
 * of the time of an HMAC goes into preparing its key, which stays the same for a day.
 */
export class Sha256Node implements Checksum {
  readonly #secret: SourceData | undefined;
  readonly #parts: Buffer[] = [];

  constructor(secret?: SourceData) {
    this.#secret = secret;
  }

  update(data: SourceData): void {
    this.#parts.push(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    const data = Buffer.concat(this.#parts);
    if (this.#secret === undefined) return hash('sha256', data, 'buffer');
    return typeof this.#secret === 'string' ? codeOfText(this.#secret, data) : hmac(this.#secret, data);
  }

  reset(): void {
    this.#parts.length = 0;
  }
}

const hmac = (secret: SourceData, data: Buffer): Buffer => createHmac('sha256', keyOf(secret)).update(data).digest();

let last: { readonly secret: string; readonly data: Buffer; readonly code: Buffer } | undefined;

/** Only a secret access key is a text. The SDK computes the same code with it for each request, to find the key that signs. */
const codeOfText = (secret: string, data: Buffer): Buffer => {
  if (last?.secret !== secret || !last.data.equals(data)) last = { secret, data, code: hmac(secret, data) };
  return last.code;
};

const bytesOf = (data: SourceData): Buffer =>
  typeof data === 'string'
    ? Buffer.from(data)
    : ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
      : Buffer.from(data);

/** A day's signatures use six: the credentials, and the steps from them to the key that signs. */
const maxKeys = 10;

const keys = new Map<SourceData, KeyObject>();

/** Finds the key of the same text or of the same bytes object: the SDK keeps the object of the key that signs. */
const keyOf = (secret: SourceData): KeyObject => {
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  if (keys.size >= maxKeys) keys.clear();
  keys.set(secret, key);
  return key;
};
