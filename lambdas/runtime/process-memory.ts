import type { PresentedKey } from '../domain/api-key.ts';
import { type Networks, networksOf } from '../domain/company.ts';
import { bucketIdOf, type RateLimitKey } from '../domain/rate-limits.ts';

/**
 * What a function's process remembers of the requests that it served. It only decides which store commands come first and which
 * run concurrently: the store decides on each request again. A request removes what it finds, and puts it back once the store
 * has confirmed it, so a refusal leaves nothing behind but the note of a lost token. Parsed networks depend only on their texts,
 * which each request reads.
 */
export type ProcessMemory = {
  /** Keys that were valid, by their hash. */
  readonly validKeys: Memory<true>;
  /** The arrival time of the bucket after an admitted request, by `admissionId`. */
  readonly admissions: Memory<number>;
  /** Buckets of which a token was taken before it was known whether the request would be refused, by bucket id. */
  readonly tokensAhead: Memory<true>;
  /** The arrival time of the bucket of invalid keys, by source address. */
  readonly invalidKeys: Memory<number>;
  /** The networks of companies and keys, by their texts. */
  readonly networks: Memory<Networks>;
};

/** Less than 3 MB if all four memories of this size are full. */
const maxEntries = 5000;
const maxNetworks = 200;

export const createProcessMemory = (): ProcessMemory => ({
  validKeys: createMemory(maxEntries),
  admissions: createMemory(maxEntries),
  tokensAhead: createMemory(maxEntries),
  invalidKeys: createMemory(maxEntries),
  networks: createMemory(maxNetworks),
});

/** Parses networks (`address/prefix length`), unless the process did so for an earlier request. */
export const networksIn = ({ networks }: ProcessMemory, cidrs: readonly string[]): Networks => {
  const id = cidrs.join(' ');
  const parsed = networks.get(id) ?? networksOf(cidrs);
  networks.put(id, parsed);
  return parsed;
};

export const keyMemoryId = ({ hash }: PresentedKey): string => Buffer.from(hash).toString('base64');

/** Requests with the same id do not differ in anything that the checks up to the token use. */
export const admissionId = (key: PresentedKey, sourceIp: string, rateLimitKey: RateLimitKey): string =>
  [keyMemoryId(key), sourceIp, bucketIdOf(rateLimitKey)].join('|');

/** Values that a process keeps from one request to the next, by id. If there are too many, the oldest one is dropped. */
type Memory<Value> = {
  readonly get: (id: string) => Value | undefined;
  /** Returns the value and forgets it. */
  readonly pop: (id: string) => Value | undefined;
  readonly put: (id: string, value: Value) => void;
};

export const createMemory = <Value>(maxEntries: number): Memory<Value> => {
  const values = new Map<string, Value>();
  return {
    get: (id) => values.get(id),
    pop: (id) => {
      const value = values.get(id);
      values.delete(id);
      return value;
    },
    put: (id, value) => {
      values.delete(id);
      values.set(id, value);
      const [oldest] = values.keys();
      if (values.size > maxEntries && oldest !== undefined) values.delete(oldest);
    },
  };
};
