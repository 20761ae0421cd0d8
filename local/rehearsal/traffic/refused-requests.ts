import type { DemoCompany } from '../../demo/demo-world.ts';
import { type PartnerRequest, requestOf } from './http-client.ts';

/** Lists one request for most of the refusals that a company can provoke. */
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
