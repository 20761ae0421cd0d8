import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Demo, DemoCompany } from '../demo/demo-world.ts';

/** A request as a partner sends it, without default headers. */
type PartnerRequest = {
  readonly method?: string;
  /** The path after the stage. */
  readonly path: string;
  readonly sourceIp: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type PartnerAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Client = {
  readonly send: (request: PartnerRequest) => Promise<PartnerAnswer>;
  /** Returns the number of requests sent so far. */
  readonly sent: () => number;
  readonly close: () => void;
};

/** The server closed an idle connection just as the next request was sent; the client sends that request again. */
class ReusedConnectionError extends Error {}

/** Creates a client that calls the demo world's API over HTTPS, from the source address of each request. */
export const createClient = ({ baseUrl, caFile }: Demo): Client => {
  const { port, pathname } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, ca: readFileSync(caFile) });
  let sent = 0;

  const exchange = ({ method = 'GET', path, sourceIp, headers = {}, body }: PartnerRequest) =>
    new Promise<PartnerAnswer>((resolve, reject) => {
      const target = {
        agent,
        host: 'localhost',
        family: 4,
        port,
        method,
        path: pathname + path,
        localAddress: sourceIp,
      };
      const contentLength = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = request({ ...target, headers: { ...headers, ...contentLength } });
      outgoing
        .on('response', (response) => {
          const headers = response.headers as PartnerAnswer['headers'];
          text(response).then(
            (answered) => resolve({ status: response.statusCode ?? 0, headers, body: answered }),
            reject,
          );
        })
        .on('error', (error) => reject(outgoing.reusedSocket ? new ReusedConnectionError('', { cause: error }) : error))
        .end(body);
    });

  const send = async (request: PartnerRequest): Promise<PartnerAnswer> => {
    sent++;
    for (;;) {
      try {
        return await exchange(request);
      } catch (error) {
        if (!(error instanceof ReusedConnectionError)) throw error;
      }
    }
  };
  return { send, sent: () => sent, close: () => agent.destroy() };
};

/** Returns a request with the company's key, owner and source address. */
export const requestOf = (
  { apiKey, userId, sourceIp }: DemoCompany,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): PartnerRequest => ({
  method,
  path,
  sourceIp,
  headers: {
    'x-api-key': apiKey,
    'x-user-id': userId,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

type Method = Endpoint['method'];

const rows: readonly Endpoint[] = Object.values(endpoints);

/** Returns a request for each endpoint of the method and each gateway, circuit and time program of the company. */
export const gatewayRequestsOf = (company: DemoCompany, method: Method): PartnerRequest[] =>
  rows
    .filter((row) => row.method === method && row.path.includes('{gatewayId}'))
    .flatMap((row) => pathsOf(row, company).map((path) => requestOf(company, path, { method, body: bodyOf(row) })));

/** Returns a request for each GET endpoint without path parameters. */
export const generalReadsOf = (company: DemoCompany): PartnerRequest[] =>
  rows
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .map(({ path }) => requestOf(company, path));

const pathsOf = ({ path, family }: Endpoint, { gateways }: DemoCompany): string[] => {
  const paths = gateways.flatMap(({ gatewayId, heatingCircuits, dhwCircuits }) =>
    (family === 'dhw' ? dhwCircuits : heatingCircuits).flatMap(({ circuitId, timeProgramIds }) =>
      timeProgramIds.map((timeProgramId) => fill(path, { gatewayId, circuitId, timeProgramId })),
    ),
  );
  return [...new Set(paths)];
};

const fill = (path: string, ids: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');

const bodyOf = ({ method, family }: Endpoint): unknown => {
  if (method === 'PUT') return eveningProgram;
  if (method === 'PATCH') return family === 'dhw' ? { waterSetpointCelsius: 50 } : { roomSetpointCelsius: 20.5 };
  return undefined;
};

const eveningProgram = {
  name: 'Evenings',
  switchPoints: [
    { dayOfWeek: 'friday', time: '17:30', setpoint: 'comfort' },
    { dayOfWeek: 'friday', time: '23:00', setpoint: 'eco' },
  ],
};

/** Returns a request for most of the problems that a company can provoke. */
export const refusedRequestsOf = (company: DemoCompany, stranger: DemoCompany): PartnerRequest[] => {
  const { sourceIp, apiKey, expiredApiKey, keyId, gateways } = company;
  const gateway = `/hvacs/${gateways[0]?.gatewayId}`;
  const circuit = `${gateway}/heatingCircuits/hc1`;
  const withKey = (key: string) => ({ sourceIp, headers: { 'x-api-key': key } });
  const patch = (path: string, options: Parameters<typeof requestOf>[2]) =>
    requestOf(company, path, { method: 'PATCH', ...options });
  return [
    { path: '/contract', sourceIp },
    { path: '/contract', ...withKey('made-up') },
    { path: '/contract', ...withKey(expiredApiKey) },
    { path: '/hvacs', ...withKey(apiKey) },
    requestOf({ ...company, sourceIp: '127.0.0.3' }, '/contract'),
    requestOf({ ...company, sourceIp: stranger.sourceIp }, '/contract'),
    requestOf({ ...company, userId: 'nobody' }, '/hvacs'),
    requestOf(company, `/hvacs/${stranger.gateways[0]?.gatewayId}`),
    requestOf(company, '/hvacs?limit=0'),
    requestOf(company, '/nowhere'),
    requestOf(company, '/api-keys/nobodys-key', { method: 'DELETE' }),
    requestOf(company, `/api-keys/${keyId}`, { method: 'DELETE' }),
    requestOf(company, `${gateway}/heatingCircuits/hc9`),
    requestOf(company, `${circuit}/timePrograms/9`),
    patch(circuit, { body: { roomSetpointCelsius: 'warm' } }),
    patch(`${gateway}/heatingCircuits/hc2`, { body: { operationMode: 'off' }, headers: { 'if-match': '"0"' } }),
    patch(`${gateway}/dhwCircuits/dhw1`, { body: {}, headers: { 'content-type': 'text/plain' } }),
    patch(circuit, { body: { padding: '0'.repeat(40_000) } }),
  ];
};
