// The steps of the guide, with openapi-fetch and the types from openapi-typescript.
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.ts';
import { apiKey, baseUrl, gatewayId, theDay, userId } from './steps.ts';

const api = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } });
const header = { 'x-user-id': userId };
const path = { gatewayId, circuitId: 'hc1' };
const circuit = '/hvacs/{gatewayId}/heatingCircuits/{circuitId}';

const contract = await api.GET('/contract', { params: { header } });
if (!contract.data) throw new Error(contract.error.code);
const gateways = await api.GET('/hvacs', { params: { header } });
const changed = await api.PATCH(circuit, { params: { header, path }, body: { roomSetpointCelsius: 21.5 } });
const refused = await api.PATCH(circuit, {
  params: { header: { ...header, 'If-Match': '"0"' }, path },
  body: { roomSetpointCelsius: 19.5 },
});
const program = await api.PUT(`${circuit}/timePrograms/{timeProgramId}`, {
  params: { header, path: { ...path, timeProgramId: '1' } },
  body: { name: 'Long evenings', switchPoints: theDay },
});
const missing = await api.DELETE('/api-keys/{keyId}', { params: { path: { keyId: 'nobodys-key' } } });
const page = await api.GET('/events');
const [event] = page.data?.items ?? [];

console.log(
  JSON.stringify({
    userId: contract.data.userId,
    gatewayIds: gateways.data?.items.map((each) => each.gatewayId),
    states: [changed.data?.state, program.data?.state],
    refusals: [refused.error?.code, missing.error?.code],
    event: event && [event.type, typeof event.id],
  }),
);
