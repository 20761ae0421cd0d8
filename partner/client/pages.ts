import type { Answer, BodyOf, OperationId } from './operation-types.ts';
import type { CallArguments, PartnerClient } from './partner-client.ts';
import type { RequestParts } from './request.ts';

type Page = { items: unknown[]; nextCursor: string | null };

/** A feed has no last page: it is no list. */
type Feed = { items: unknown[]; nextCursor: string };

/** The operations that answer with a page of a list. */
export type ListOperationId = {
  [Id in OperationId]: BodyOf<Id> extends Feed ? never : BodyOf<Id> extends Page ? Id : never;
}[OperationId];

/** The pages of a list from first to last. Each is requested when the caller wants it. A refusal is the last page. */
export async function* pagesOf<Known extends OperationId, Id extends Known & ListOperationId>(
  client: PartnerClient<Known>,
  operationId: Id,
  ...[request]: CallArguments<Id>
): AsyncGenerator<Answer<Id>, void> {
  const call = client.call as (operationId: Id, request: RequestParts) => Promise<Answer<Id>>;
  const parts = { ...request } as RequestParts;
  for (let query = parts.query; ; ) {
    const answer = await call(operationId, { ...parts, ...(query && { query }) });
    yield answer;
    const cursor = answer.ok ? (answer.body as Page).nextCursor : null;
    if (cursor === null) return;
    query = { ...query, cursor };
  }
}
