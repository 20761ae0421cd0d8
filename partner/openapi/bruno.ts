import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { daysAhead } from './examples.ts';
import { parametersOf } from './parameters.ts';
import { documentationOf } from './schemas.ts';
import { tagOf } from './tags.ts';

/**
 * Returns a collection for Bruno, an API client that stores requests as text files: a folder for each tag, whose requests run
 * in order, and an environment for the demo world. The map has the text of each file by its path within the collection.
 */
export const brunoFiles = (): Map<string, string> =>
  new Map([
    ['bruno.json', `${JSON.stringify({ version: '1', name: 'Partner API', type: 'collection' }, null, 2)}\n`],
    ['collection.bru', blocks({ auth: { mode: 'apikey' }, 'auth:apikey': apiKeyHeader, docs: howToRun })],
    ['environments/demo.bru', blocks({ vars: demoVariables })],
    ...[...Map.groupBy(inOrder(), folderOf)].flatMap(([folder, ids]) =>
      ids.map((id, index) => [`${folder}/${id}.bru`, requestOf(id, index + 1)] as const),
    ),
  ]);

const folderOf = (operationId: OperationId): string =>
  tagOf(endpoints[operationId]).name.toLowerCase().replaceAll(' ', '-');

const apiKeyHeader = { key: 'x-api-key', value: '{{apiKey}}', placement: 'header' };

const howToRun = `Start the demo world with "npm start" in a checkout of the service. It has a key in .local/demo.json: write
API_KEY=... into a file .env beside bruno.json. The certificate of the demo world is signed by .local/ca.pem: in Bruno,
choose this file in the preferences as a CA certificate. Then choose the environment "demo".

With the command line of Bruno, in this folder:

    npx @usebruno/cli run -r --env demo --cacert <checkout>/.local/ca.pem`;

/** The API key comes from the environment, because each start of the demo world creates a new one. */
const demoVariables = {
  baseUrl: 'https://localhost:8443/v1',
  apiKey: '{{process.env.API_KEY}}',
  userId: 'owner-4711',
  gatewayId: 'gw-1001',
};

/** Values of parameters in the demo world; all other parameters have the example of the document. */
const ownValues: Readonly<Record<string, string>> = {
  'x-user-id': '{{userId}}',
  // The demo world has other versions than the examples.
  'If-Match': '*',
  gatewayId: '{{gatewayId}}',
  keyId: '{{keyId}}',
  webhookId: '{{webhookId}}',
};

/** Stores the ids of created resources for later requests. */
const idsCreated: Partial<Record<OperationId, Readonly<Record<string, string>>>> = {
  createApiKey: { keyId: 'res.body.keyId' },
  createWebhook: { webhookId: 'res.body.webhookId' },
};

/** Bodies for operations that would refuse the document's example: its code was not sent to a receiver; null requests one. */
const bodies: Partial<Record<OperationId, object>> = { verifyWebhook: { code: null } };

/** Returns the operations in the order of the rows, with deletions last. */
const inOrder = (): OperationId[] => {
  const isLast = (id: OperationId) => Number(endpoints[id].method === 'DELETE');
  return operationIds.toSorted((one, other) => isLast(one) - isLast(other));
};

type Parameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly example?: string };

/** In Bruno, a tilde before a name disables the parameter. */
const nameAndValue = ({ name, required, example }: Parameter) => [
  required ? name : `~${name}`,
  ownValues[name] ?? example,
];

const requestOf = (operationId: OperationId, seq: number): string => {
  const endpoint: Endpoint = endpoints[operationId];
  const parameters: readonly Parameter[] = parametersOf(endpoint);
  const isSent = (place: string) => (each: Parameter) => each.in === place && each.example !== undefined;
  const body = endpoint.body && (bodies[operationId] ?? documentationOf(endpoint.body).example);
  const times = Object.entries(body ?? {}).flatMap(([name, value]) => {
    const days = daysAhead(value);
    return days === undefined ? [] : [{ name, days }];
  });
  return blocks({
    meta: { name: endpoint.summary, type: 'http', seq },
    [endpoint.method.toLowerCase()]: {
      url: `{{baseUrl}}${endpoint.path.replace(/\{(\w+)\}/g, ':$1')}`,
      body: body ? 'json' : 'none',
      auth: 'inherit',
    },
    'params:path': Object.fromEntries(parameters.filter(isSent('path')).map(nameAndValue)),
    headers: Object.fromEntries(parameters.filter(isSent('header')).map(nameAndValue)),
    'body:json': body ? JSON.stringify({ ...body, ...inVariables(times) }, null, 2) : {},
    'script:pre-request': times.length > 0 ? times.map(setTime).join('\n') : {},
    'vars:post-response': idsCreated[operationId] ?? {},
    docs: endpoint.description,
  });
};

type Time = { readonly name: string; readonly days: number };

const inVariables = (times: readonly Time[]) => Object.fromEntries(times.map(({ name }) => [name, `{{${name}}}`]));

/** Computes times relative to now, because the times of the examples pass. Bruno does not parse numbers with underscores. */
const setTime = ({ name, days }: Time): string =>
  `bru.setVar('${name}', new Date(Date.now() + ${days} * 86400000).toISOString());`;

type Block = string | Readonly<Record<string, unknown>>;

/** Formats blocks in Bruno's syntax, without empty ones. */
const blocks = (all: Readonly<Record<string, Block>>): string =>
  Object.entries(all)
    .map(([name, block]) => {
      const lines =
        typeof block === 'string' ? block.split('\n') : Object.entries(block).map(([key, value]) => `${key}: ${value}`);
      return lines.length > 0 ? `${name} {\n${lines.map((line) => `${line && `  ${line}`}\n`).join('')}}\n` : '';
    })
    .filter((text) => text !== '')
    .join('\n');
