import type { Answer, OperationId, Refusal, Success } from '../../partner/client/operation-types.ts';
import { createPartnerClient, type PartnerClient } from '../../partner/client/partner-client.ts';
import { operationAt } from './api-document.ts';
import { expectContract } from './contract.ts';
import { companyOf, type Service } from './service.ts';

/** A fetch that sends from a given address, and checks every response against its operation. */
export const fetchFrom =
  (service: Service, sourceIp: string): typeof fetch =>
  async (url, { method = 'GET', headers, body } = {}) => {
    const path = String(url).slice(service.demo.baseUrl.length);
    const rawHeaders = [...new Headers(headers)].flat();
    const answer = await service.send({
      method,
      path,
      rawHeaders,
      sourceIp,
      ...(typeof body === 'string' && { body }),
    });
    const operation = operationAt(method, path);
    if (!operation) throw new Error(`The client has called ${method} ${path}, which is no operation.`);
    // If the compiler does not know an operation here, run `npm run generate`.
    expectContract(operation.operationId, answer);
    const text = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(text, { status: answer.status, headers: answer.headers });
  };

/** A client of a company of the demo world, with the address of the company and the owner of its contract. */
export const partnerOf = (
  service: Service,
  companyId: string,
  { patienceSeconds = 30 }: { readonly patienceSeconds?: number } = {},
): PartnerClient => {
  const { apiKey, userId, sourceIp } = companyOf(service, companyId);
  const { baseUrl } = service.demo;
  return createPartnerClient({
    baseUrl,
    apiKey,
    userId,
    patienceSeconds,
    fetch: fetchFrom(service, sourceIp),
  });
};

/** Returns the data of a call; throws if the call failed. */
export const done = async <Id extends OperationId>(call: Promise<Answer<Id>> | Answer<Id>): Promise<Success<Id>> => {
  const answer = await call;
  if (answer.ok) return answer;
  throw new Error(`Expected a success, got ${JSON.stringify(answer.problem)}.`);
};

/** Returns the problem of a call; throws if the call succeeded. */
export const refused = async <Id extends OperationId>(call: Promise<Answer<Id>>): Promise<Refusal<Id>> => {
  const answer = await call;
  if (!answer.ok) return answer;
  throw new Error(`Expected a problem, got ${answer.status} ${JSON.stringify(answer.body)}.`);
};
