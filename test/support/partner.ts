import { createPartnerClient, type PartnerClient } from '../../client/partner-client.ts';
import { type Answer, expectContract } from './contract.ts';
import { operationAt } from './documented.ts';
import { companyOf, type Service } from './service.ts';

/** What went over the wire for a call. */
export type Exchange = { readonly method: string; readonly path: string; readonly answer: Answer };

/** A fetch that sends from an address of one's choice, and holds every answer to the promises of its operation. */
export const fetchFrom =
  (service: Service, sourceIp: string, observe: (exchange: Exchange) => void = () => {}): typeof fetch =>
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
    expectContract(operation.operationId, answer);
    observe({ method, path, answer });
    const text = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(text, { status: answer.status, headers: answer.headers });
  };

/** The client of a company of the demo world, which calls from its address. */
export const partnerOf = (
  service: Service,
  companyId: string,
  observe?: (exchange: Exchange) => void,
): PartnerClient => {
  const { apiKey, userId, sourceIp } = companyOf(service, companyId);
  return createPartnerClient({
    baseUrl: service.demo.baseUrl,
    apiKey,
    userId,
    fetch: fetchFrom(service, sourceIp, observe),
  });
};

/** What a call has brought, where it has to have gone well. */
export const bodyOf = async <Body>(
  answer: Promise<{ ok: true; body: Body } | { ok: false; problem: unknown }>,
): Promise<Body> => {
  const settled = await answer;
  if (settled.ok) return settled.body;
  throw new Error(`Expected a success, got ${JSON.stringify(settled.problem)}.`);
};
