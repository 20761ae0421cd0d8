import type { Answer, BodyOf, OperationId, Refusal, RequestOf, Success } from './operation-types.ts';
import type { CallArguments, CallOptions, PartnerClient } from './partner-client.ts';
import type { RequestParts } from './request.ts';

type Page = { items: unknown[]; nextCursor: string | null };

/** A feed is not a list: it has no last page. */
type Feed = { items: unknown[]; nextCursor: string };

/** The operations that return a page of a list. */
export type ListOperationId = {
  [Id in OperationId]: BodyOf<Id> extends Feed ? never : BodyOf<Id> extends Page ? Id : never;
}[OperationId];

/**
 * Iterates over the answers of a list operation, page by page: `for await (const page of pagesOf(client, 'listGateways'))`.
 * Each page is requested when the loop reaches it. A refusal ends the iteration and is its last element.
 */
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

/** A gateway with the circuits of all pages. */
export type Home = BodyOf<'getGateway'> & Required<Pick<BodyOf<'getGateway'>, 'heatingCircuits' | 'dhwCircuits'>>;

type HomeOptions = CallOptions & {
  /** What to include in the answer. By default, circuits and their time programs. */
  readonly include?: NonNullable<NonNullable<RequestOf<'getGateway'>['query']>['include']>;
};

/**
 * Reads a gateway with its circuits and their time programs, and joins all pages into one answer. Returns the refusal if one of
 * the pages is refused.
 */
export const readHome = async (
  client: PartnerClient,
  gatewayId: string,
  { include = 'circuits,timePrograms', ...options }: HomeOptions = {},
): Promise<(Success<'getGateway'> & { readonly body: Home }) | Refusal<'getGateway'>> => {
  let home: Pick<Home, 'heatingCircuits' | 'dhwCircuits'> = { heatingCircuits: [], dhwCircuits: [] };
  for (let cursor: string | undefined; ; ) {
    const query = { include, ...(cursor !== undefined && { cursor }) };
    const answer: Answer<'getGateway'> = await client.call('getGateway', { ...options, path: { gatewayId }, query });
    if (!answer.ok) return answer;
    const { heatingCircuits, dhwCircuits, nextCursor } = answer.body;
    home = {
      heatingCircuits: joined(home.heatingCircuits, heatingCircuits),
      dhwCircuits: joined(home.dhwCircuits, dhwCircuits),
    };
    if (typeof nextCursor !== 'string') return { ...answer, body: { ...answer.body, ...home } };
    cursor = nextCursor;
  }
};

/** A home of one of the company's owners. */
export type OwnerHome = {
  /** The owner and the gateway; undefined if the service refused a page of the contracts, which is the last element. */
  readonly userId?: string;
  readonly gatewayId?: string;
  readonly answer: Awaited<ReturnType<typeof readHome>> | Refusal<'listContracts'>;
};

/** Reads the homes of all owners that the company may see, `concurrency` (by default 8) at a time, in the order of the contracts. */
export async function* readHomes<Known extends OperationId>(
  client: PartnerClient<Known | 'listContracts'>,
  { include, concurrency = 8, ...options }: Partial<HomeOptions> & { readonly concurrency?: number } = {},
): AsyncGenerator<OwnerHome, void> {
  const reads: Promise<OwnerHome>[] = [];
  const query = { limit: 100, include: 'gateways' } as const;
  for await (const page of pagesOf(client as PartnerClient<'listContracts'>, 'listContracts', { query, ...options })) {
    // The homes that are being read come first. The refusal is the last page.
    if (!page.ok) reads.push(Promise.resolve({ answer: page }));
    for (const { userId, gatewayIds } of page.ok ? page.body.items : [])
      for (const gatewayId of gatewayIds ?? []) {
        const home = readHome(client.forOwner(userId), gatewayId, { ...options, ...(include && { include }) });
        const read = home.then((answer) => ({ userId, gatewayId, answer }));
        // A read that the caller does not wait for may reject, for example if it is aborted.
        read.catch(() => {});
        reads.push(read);
        if (reads.length >= concurrency) yield await (reads.shift() as Promise<OwnerHome>);
      }
  }
  for (const read of reads) yield await read;
}

type PagedCircuit<Program> = { circuitId: string; timePrograms?: Program[] };

/** Joins the circuits of two pages; a circuit on both pages gets the time programs of both. */
const joined = <Program, Circuit extends PagedCircuit<Program>>(
  earlier: readonly Circuit[],
  later: readonly Circuit[] = [],
): Circuit[] => {
  const circuits = new Map(earlier.map((circuit) => [circuit.circuitId, circuit]));
  for (const circuit of later) {
    const before = circuits.get(circuit.circuitId)?.timePrograms;
    const timePrograms = [...(before ?? []), ...(circuit.timePrograms ?? [])];
    circuits.set(circuit.circuitId, before ? { ...circuit, timePrograms } : circuit);
  }
  return [...circuits.values()];
};
