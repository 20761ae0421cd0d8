// The steps of the guide, with the functions of @hey-api/openapi-ts.
import {
  deleteApiKey,
  getContract,
  listEvents,
  listGateways,
  updateHeatingCircuit,
  updateHeatingTimeProgram,
} from './generated/hey-api';
import { client } from './generated/hey-api/client.gen';
import { apiKey, baseUrl, gatewayId, theDay, userId } from './steps.ts';

client.setConfig({ baseUrl: baseUrl as `https://${string}/v1`, auth: apiKey });
const headers = { 'x-user-id': userId };
const path = { gatewayId, circuitId: 'hc1' };

const contract = await getContract({ headers });
if (!contract.data) throw new Error(contract.error?.code);
const gateways = await listGateways({ headers });
const changed = await updateHeatingCircuit({ headers, path, body: { roomSetpointCelsius: 22.5 } });
const refused = await updateHeatingCircuit({
  headers: { ...headers, 'If-Match': '"0"' },
  path,
  body: { roomSetpointCelsius: 19.5 },
});
const program = await updateHeatingTimeProgram({
  headers,
  path: { ...path, timeProgramId: '1' },
  body: { name: 'Long evenings', switchPoints: theDay },
});
const missing = await deleteApiKey({ path: { keyId: 'nobodys-key' } });
const page = await listEvents();
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
