import type { Answer, BodyOf, OperationId, Success } from './operation-types.ts';
import type { CallArguments, CallOptions, PartnerClient } from './partner-client.ts';
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

/**
 * A gateway with all of its circuits and their time programs, from as many pages as it takes; `nextCursor` is null. A page that
 * is refused is the answer.
 */
export const readHome = async <Known extends OperationId>(
  client: PartnerClient<Known | 'getGateway'>,
  gatewayId: string,
  options: CallOptions & { readonly include?: Include } = {},
): Promise<Answer<'getGateway'>> => {
  const { include = 'circuits,timePrograms', ...others } = options;
  const call = (client as PartnerClient<'getGateway'>).call;
  let read: Success<'getGateway'> | undefined;
  for (let cursor: string | null | undefined; ; ) {
    const answer = await call('getGateway', {
      ...others,
      path: { gatewayId },
      query: { include, ...(typeof cursor === 'string' && { cursor }) },
    });
    if (!answer.ok) return answer;
    read = read ? { ...answer, body: joinedHome(read.body, answer.body) } : answer;
    cursor = answer.body.nextCursor;
    if (typeof cursor !== 'string') return read;
  }
};

type Home = BodyOf<'getGateway'>;
type Include = NonNullable<NonNullable<Parameters<PartnerClient<'getGateway'>['call']>[1]['query']>['include']>;

/** A home of two pages: the gateway of the later one, with the circuits of both. */
const joinedHome = (earlier: Home, later: Home): Home => ({
  ...later,
  heatingCircuits: joinedCircuits(earlier.heatingCircuits, later.heatingCircuits),
  dhwCircuits: joinedCircuits(earlier.dhwCircuits, later.dhwCircuits),
});

type PagedCircuit<Program> = { circuitId: string; timePrograms?: Program[] };

/** One that is on both pages has the time programs of both. */
const joinedCircuits = <Program, Circuit extends PagedCircuit<Program>>(
  earlier: readonly Circuit[] = [],
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
