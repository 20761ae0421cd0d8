import { maxMetricSeries } from '../../lambdas/api/metrics.ts';
import type { Edit } from './copy.ts';
import type { Recipe } from './recipe.ts';

const gateways = 'lambdas/api/schemas/gateway.ts';
const endpoints = 'lambdas/api/endpoints/endpoints.ts';
const metrics = 'lambdas/api/metrics.ts';
const limitsTest = 'test/lambdas/api/limits.test.ts';
const setpoints = 'lambdas/api/schemas/setpoints.ts';
const circuit = 'lambdas/api/schemas/circuit.ts';
const reports = 'lambdas/api/inbound-events/appliance-reports.ts';
const contractProblems = 'lambdas/api/problems/contract-problems.ts';

/** Raises the number of metric series for the nth series that the recipes add. */
const seriesMore = (nth: number): Edit => ({
  file: metrics,
  anchor: `maxMetricSeries = ${maxMetricSeries + nth - 1};`,
  instead: `maxMetricSeries = ${maxMetricSeries + nth};`,
});

const endpoint: Recipe = {
  name: 'Add an endpoint with a new body',
  edits: [
    {
      file: gateways,
      anchor: 'export const gatewayDocs = ',
      before: `export const gatewayStatus = () => z.looseObject({ gatewayId: id(), connectivity: connectivity() });

export const gatewayStatusDocs = (): Documentation<typeof gatewayStatus> => ({
  example: { gatewayId: 'gw-1001', connectivity: 'online' },
  properties: {
    gatewayId: gatewayIdDescription,
    connectivity: 'Whether the service can reach the gateway now.',
  },
});

`,
    },
    {
      file: endpoints,
      anchor: "import { gateway } from '../schemas/gateway.ts';",
      instead: "import { gateway, gatewayStatus } from '../schemas/gateway.ts';",
    },
    {
      file: endpoints,
      anchor: '    getEnergy: {\n',
      before: `    getGatewayStatus: {
      summary: 'Get the status of a gateway',
      description: 'Shows whether a gateway is online.',
      method: 'GET',
      path: '/hvacs/{gatewayId}/status',
      ratePolicy: 'gateway',
      onBehalfOfUser: true,
      preloads: ['gateway'],
      success: { status: 200, body: gatewayStatus },
    },
`,
    },
    {
      file: 'lambdas/handlers/gateways.ts',
      anchor: 'export const getEnergy = ',
      before: `export const getGatewayStatus = /* @__PURE__ */ serve('getGatewayStatus', ({ gateway }) => ({
  body: { gatewayId: gateway.gatewayId, connectivity: gateway.connectivity },
}));

`,
    },
  ],
  generated: [
    'docs/api-compatibility-v1.txt',
    'docs/openapi.json',
    'partner/guide/errors.md',
    'partner/guide/rate-limits.md',
  ],
  forgotten: [{ file: 'lambdas/handlers/gateways.ts', by: 'generate' }],
};

const ratePolicy: Recipe = {
  name: 'Add a rate policy',
  edits: [
    {
      file: 'lambdas/api/limits.ts',
      anchor: '  gateway: { refillIntervalMs',
      before: '  bulk: { refillIntervalMs: 500, burst: 5 },\n',
    },
    {
      file: limitsTest,
      anchor: '    gateway: { refillIntervalMs',
      before: '    bulk: { refillIntervalMs: 500, burst: 5 },\n',
    },
    {
      file: endpoints,
      anchor: `      path: '/contracts',
      ratePolicy: 'general',`,
      instead: `      path: '/contracts',
      ratePolicy: 'bulk',`,
    },
    seriesMore(1),
  ],
  generated: ['CHANGELOG.md', 'docs/openapi.json', 'partner/guide/rate-limits.md', 'partner/guide/versions.md'],
  forgotten: [
    { file: 'lambdas/api/limits.ts', by: 'generate' },
    { file: limitsTest, by: limitsTest },
    { file: metrics, by: 'test/lambdas/api/rows.test.ts' },
  ],
};

const problem: Recipe = {
  name: 'Add a problem',
  edits: [
    {
      file: contractProblems,
      anchor: "  'consent-outdated': {\n    status",
      before: `  'no-contract-outdated': {
    status: 404,
    title: 'No owner has to accept anything',
    detail: 'Each owner has accepted the latest consent version. List the contracts without \`consent\`.',
  },
`,
    },
    {
      file: contractProblems,
      anchor: "  'consent-outdated': {\n    cause",
      before: `  'no-contract-outdated': {
    cause: 'You list the owners who have to accept the latest consent version, and there is none.',
    provokedBy: 'as acme "$BASE_URL/contracts?consent=outdated"',
  },
`,
    },
    {
      file: endpoints,
      anchor: '      success: { status: 200, body: pageOf(contractInList) },\n',
      after: "      problems: ['no-contract-outdated'],\n",
    },
    {
      file: 'lambdas/handlers/contract.ts',
      anchor: '  return pageAnswer(call, onPage, { itemOf, positionOf: ({ userId }) => userId, next: end });\n',
      before: "  if (query.consent && !contracts.some(itemOf)) return new Problem('no-contract-outdated');\n",
    },
    seriesMore(2),
    {
      file: 'test/lambdas/chain/matrix.store.test.ts',
      anchor: "  { name: 'wrong key'",
      before: `  {
    name: 'no outdated contract',
    appliesTo: ({ path }) => path === '/contracts',
    injectFault: (good) => ({ ...good, query: { consent: ['outdated'] } }),
    code: 'no-contract-outdated',
  },
`,
    },
  ],
  generated: ['docs/api-compatibility-v1.txt', 'docs/openapi.json', 'partner/guide/errors.md'],
  forgotten: [
    { file: contractProblems, anchor: 'cause', by: 'generate', says: 'lambdas/api/problems/' },
    { file: endpoints, by: 'generate', says: 'lambdas/api/endpoints/' },
  ],
};

const property: Recipe = {
  name: 'Add a property that old items and old senders lack',
  edits: [
    {
      file: circuit,
      anchor: 'heatingMeasurements = { roomTemperatureCelsius: temperature, supplyTemperatureCelsius: temperature };',
      instead: `heatingMeasurements = {
  roomTemperatureCelsius: temperature,
  supplyTemperatureCelsius: temperature,
  humidityPercent: { minimum: 0, maximum: 100 },
};`,
    },
    { file: circuit, anchor: '    supplyTemperatureCelsius: 34.2,\n', after: '    humidityPercent: 45,\n' },
    {
      file: circuit,
      anchor: "    roomTemperatureCelsius: 'The measured",
      before:
        "    humidityPercent: 'The measured humidity of the room in percent; null if the sensor cannot be read.',\n",
    },
    {
      file: reports,
      anchor: '          supplyTemperatureCelsius: `The',
      before:
        "          humidityPercent: 'The measured humidity of the room in percent; null if the sensor cannot be read.',\n",
    },
  ],
  generated: [
    'docs/api-compatibility-v1.txt',
    'docs/events-compatibility.txt',
    'docs/events.json',
    'docs/openapi.json',
  ],
  forgotten: [
    {
      file: circuit,
      anchor: "    roomTemperatureCelsius: 'The measured",
      by: 'generate',
      says: 'lambdas/api/schemas/',
    },
    { file: reports, by: 'generate', says: 'lambdas/api/inbound-events/' },
  ],
};

const setpoint: Recipe = {
  name: 'Add a setpoint of a circuit',
  edits: [
    {
      file: setpoints,
      anchor: '    coolingSetpointCelsius: { isRare',
      before: '    awaySetpointCelsius: { isRare: true, usual: { minimum: 5, maximum: 20, step: 0.5 } },\n',
    },
    {
      file: setpoints,
      anchor: '      coolingSetpointCelsius: {\n        description',
      before: `      awaySetpointCelsius: {
        description: 'The room temperature to reach while nobody is at home, in degrees Celsius.',
        example: 15,
      },
`,
    },
    {
      file: 'simulator/factory-settings.ts',
      anchor: '      coolingSetpointCelsius: canCool',
      before: '      awaySetpointCelsius: null,\n',
    },
  ],
  generated: [
    'docs/api-compatibility-v1.txt',
    'docs/events-compatibility.txt',
    'docs/events.json',
    'docs/openapi.json',
  ],
  forgotten: [],
};

/** The order matters: the rate policy adds the first metric series, and the problem the second. */
export const apiRecipes: readonly Recipe[] = [endpoint, ratePolicy, problem, property, setpoint];
