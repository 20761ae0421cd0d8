import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { type CallOptions, call, callsOf, type EquippedCompany } from './call.ts';
import { operatorActOn } from './store.ts';
import { startMs } from './world.ts';

type Entry = Readonly<Record<string, unknown>>;
type Page = { readonly items: Entry[]; readonly nextCursor: string | null };
type Query = { readonly limit?: string; readonly cursor?: string };

/** Requests a page of a company's changes at a time. */
export const readAuditPageAt = async (apiKey: string, nowMs: number, query: Query = {}): Promise<Page> => {
  const { status, body } = await call('listAuditEntries', {
    apiKey,
    nowMs,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

let calls = 0;

/** Requests a page an hour after the start, at a time that no other request has, so that no bucket is empty. */
export const readAuditPage = (apiKey: string, query: Query = {}): Promise<Page> =>
  readAuditPageAt(apiKey, startMs + 3_600_000 + 1000 * calls++, query);

export const readAllAuditPages = async (apiKey: string, limit = '100'): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await readAuditPage(apiKey, { limit, ...(cursor && { cursor }) });
    entries.push(...page.items);
    cursor = page.nextCursor;
  }
  return entries;
};

type Ids = Readonly<Record<string, string>>;

/** Makes a change as the company, and returns the id of the request, which begins with the name of the operation. */
export const changeAs = async (
  company: EquippedCompany,
  operation: OperationId,
  options: CallOptions & { readonly nowMs: number },
  ids: Ids = {},
): Promise<string> => {
  const requestId = `${operation}-${randomUUID()}`;
  const { status, body } = await callsOf(company)(operation, { requestId, ...options }, ids);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return requestId;
};

/** Returns the audit context of an event of the portal about the owner of a company's contract. */
export const portalEventOn = ({ companyId, contract: { userId } }: EquippedCompany, atMs: number) => ({
  ...operatorActOn(companyId, atMs),
  operation: 'portal.event.v1',
  userId,
});
