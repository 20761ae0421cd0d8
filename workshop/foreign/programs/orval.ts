// The steps of the guide, with the functions of orval, which know the base URL.
import {
  deleteApiKey,
  getContract,
  listEvents,
  listGateways,
  updateHeatingCircuit,
  updateHeatingTimeProgram,
} from './generated/orval';
import { apiKey, gatewayId, theDay, userId } from './steps.ts';

const key = { 'x-api-key': apiKey };
const headers = { ...key, 'x-user-id': userId };

const contract = await getContract({ headers });
if (contract.status !== 200) throw new Error(contract.data.code);
const gateways = await listGateways(undefined, { headers });
const changed = await updateHeatingCircuit(gatewayId, 'hc1', { roomSetpointCelsius: 20.5 }, { headers });
const outdated = { headers: { ...headers, 'If-Match': '"0"' } };
const refused = await updateHeatingCircuit(gatewayId, 'hc1', { roomSetpointCelsius: 19.5 }, outdated);
const evenings = { name: 'Long evenings', switchPoints: theDay };
const program = await updateHeatingTimeProgram(gatewayId, 'hc1', '1', evenings, { headers });
const missing = await deleteApiKey('nobodys-key', undefined, { headers: key });
const page = await listEvents(undefined, { headers: key });
const [event] = page.status === 200 ? page.data.items : [];

console.log(
  JSON.stringify({
    userId: contract.data.userId,
    gatewayIds: gateways.status === 200 ? gateways.data.items.map((each) => each.gatewayId) : undefined,
    states: [changed, program].map((each) => (each.status === 202 ? each.data.state : undefined)),
    refusals: [refused.status === 412 && refused.data.code, missing.status === 404 && missing.data.code],
    event: event && [event.type, typeof event.id],
  }),
);
