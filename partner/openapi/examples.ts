import * as z from 'zod/mini';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';
import { documentationOf } from './schemas.ts';

/**
 * Returns the example of the body that an operation answers with; undefined if it has none. The answer to a change shows what the
 * example of the request asks for, as a pending change of the resource that the example of GET shows.
 */
export const answerExampleOf = ({ success, body, path }: Endpoint): Example | undefined => {
  if (!success.body) return undefined;
  const { example } = documentationOf(success.body) as { example: Example & { version: number } };
  if (success.status !== 202) return example;
  const asked = body ? (documentationOf(body).example as object) : null;
  // The last part of the path is an id, or a property of the resource, which a deletion makes null.
  const part = path.slice(path.lastIndexOf('/') + 1);
  const since = part === 'override' && { since: requestedAt };
  const changed = part in example ? { [part]: asked && { ...asked, ...since } } : asked;
  const answered = { ...example, connectivity: 'online', state: 'pending', version: example.version + 1, ...changed };
  return z.parse(success.body(), answered) as Example;
};

type Example = Readonly<Record<string, unknown>>;

const requestedAt = '2026-11-20T16:42:07.513Z';

/** The day on which all examples were written. The service refuses requests whose times have passed. */
const writtenMs = Date.parse('2026-11-21');

const dayMs = 86_400_000;

/** Returns a document or an example as if written at that time: moves its dates and times by whole days. */
export const writtenAt = <Document>(nowMs: number, document: Document): Document => {
  const movedMs = Math.floor((nowMs - writtenMs) / dayMs) * dayMs;
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if (!isTime(value)) return value;
    return (value.includes('T') ? toTimestamp : toDate)(Date.parse(value) + movedMs);
  });
};

/** Returns how many days in the future a time of an example must be when it is sent; undefined if the value is not a time. */
export const daysAhead = (value: unknown): number | undefined =>
  isTime(value) ? Math.ceil((Date.parse(value) - writtenMs) / dayMs) : undefined;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value);
