import { auditDays, hourlyEnergyDays } from '../limits.ts';
import { apiKey, apiKeyCreated, apiKeyCreation, deletionQuery, ownApiKey } from '../schemas/api-key.ts';
import { auditEntry } from '../schemas/audit.ts';
import { pageOf, pageQuery } from '../schemas/common.ts';
import { contract, contractInList, contractsQuery } from '../schemas/contract.ts';
import { energyQuery, gatewayEnergy, gatewayHourlyEnergy, hourlyEnergyQuery } from '../schemas/energy.ts';
import { feedEventPage, feedQuery } from '../schemas/feed.ts';
import { gateway } from '../schemas/gateway.ts';
import { gatewayMeasurements } from '../schemas/gateway-measurements.ts';
import { gatewayQuery } from '../schemas/home.ts';
import { usage, usageQuery } from '../schemas/usage.ts';
import { circuitEndpoints } from './circuit-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { holidayEndpoints } from './holiday-endpoints.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

/** The rows by area. */
const areas = {
  'api-keys': {
    createApiKey: {
      summary: 'Create an API key',
      description: 'Creates an API key. The key in use stays valid.',
      method: 'POST',
      path: '/api-keys',
      ratePolicy: 'general',
      countedAs: 'KeysIssued',
      idempotencyKey: 'optional',
      body: apiKeyCreation,
      isBodyOptional: true,
      success: { status: 201, body: apiKeyCreated, headers: ['Location'] },
      problems: ['api-key-limit-reached', 'idempotency-key-spent'],
      tableActions: {
        ApiKeys: ['Query', 'ConditionCheckItem', 'PutItem'],
        IdempotencyRecords: ['GetItem', 'PutItem'],
        AuditLog: ['PutItem'],
      },
    },
    listApiKeys: {
      summary: 'List API keys',
      description: 'Lists the API keys of the company, expired keys included.',
      method: 'GET',
      path: '/api-keys',
      ratePolicy: 'general',
      query: pageQuery,
      success: { status: 200, body: pageOf(apiKey) },
      tableActions: { ApiKeys: ['Query'] },
    },
    getOwnApiKey: {
      summary: 'Get the API key in use',
      description: 'Shows when the API key in use expires, and how many valid keys the company has.',
      method: 'GET',
      acceptsHead: true,
      path: '/api-keys/me',
      ratePolicy: 'general',
      success: { status: 200, body: ownApiKey },
      tableActions: { ApiKeys: ['Query'] },
    },
    deleteApiKey: {
      summary: 'Delete an API key',
      description:
        'Deletes an API key, optionally together with all keys that were created with it. The key in use cannot delete itself.',
      method: 'DELETE',
      path: '/api-keys/{keyId}',
      ratePolicy: 'general',
      countedAs: 'KeysDeleted',
      query: deletionQuery,
      success: { status: 204 },
      problems: ['api-key-in-use', 'api-key-not-found'],
      tableActions: {
        ApiKeys: ['Query', 'GetItem', 'ConditionCheckItem', 'DeleteItem'],
        AuditLog: ['BatchGetItem', 'PutItem'],
      },
    },
  },
  contract: {
    getContract: {
      summary: 'Get a contract',
      description: 'Shows whether the contract with an owner is in force, and the state of consent.',
      method: 'GET',
      path: '/contract',
      ratePolicy: 'general',
      userId: 'optional',
      success: { status: 200, body: contract },
      problems: ['user-id-missing'],
      tableActions: { Contracts: ['GetItem'], 'Contracts/index/byCompany': ['Query'] },
      settings: ['requiredConsentVersion', 'consentPortalUrl'],
    },
    listContracts: {
      summary: 'List contracts',
      description:
        'Lists the contracts of the company, one for each owner. With `include`, each has the ids of its gateways.',
      method: 'GET',
      path: '/contracts',
      ratePolicy: 'general',
      query: contractsQuery,
      success: { status: 200, body: pageOf(contractInList) },
      tableActions: {
        Contracts: ['BatchGetItem'],
        'Contracts/index/byCompany': ['Query'],
        Appliances: ['BatchGetItem'],
      },
      settings: ['requiredConsentVersion', 'consentPortalUrl'],
    },
  },
  events: {
    listEvents: {
      summary: 'List events',
      description: 'Lists the events after a cursor. This is the event feed; it has no gaps.',
      method: 'GET',
      path: '/events',
      ratePolicy: 'general',
      query: feedQuery,
      success: { status: 200, body: feedEventPage, headers: ['x-poll-interval'] },
      problems: ['cursor-expired'],
      tableActions: { Events: ['GetItem', 'UpdateItem', 'Query'], Contracts: ['BatchGetItem'] },
      settings: ['requiredConsentVersion'],
    },
  },
  webhooks: webhookEndpoints,
  gateways: {
    listGateways: {
      summary: 'List gateways',
      description: 'Lists the gateways of the contract.',
      method: 'GET',
      path: '/hvacs',
      ratePolicy: 'general',
      onBehalfOfUser: true,
      query: pageQuery,
      success: { status: 200, body: pageOf(gateway) },
      tableActions: { Appliances: ['BatchGetItem'] },
    },
    getGateway: {
      summary: 'Get a gateway',
      description:
        'Shows a gateway: its components, its connectivity and its blocked functions. With `include`, the response has the whole home.',
      method: 'GET',
      path: '/hvacs/{gatewayId}',
      ratePolicy: 'gateway',
      onBehalfOfUser: true,
      preloads: ['gateway'],
      query: gatewayQuery,
      success: { status: 200, body: gateway },
      tableActions: { Appliances: ['Query'] },
    },
    getEnergy: {
      summary: 'Get energy',
      description: 'Shows the energy that the appliance of a gateway consumed and delivered, day by day.',
      method: 'GET',
      path: '/hvacs/{gatewayId}/energy',
      ratePolicy: 'gateway',
      onBehalfOfUser: true,
      query: energyQuery,
      success: { status: 200, body: gatewayEnergy },
      tableActions: { Appliances: ['Query'] },
    },
    getHourlyEnergy: {
      summary: 'Get hourly energy',
      description: `Shows the energy that the appliance of a gateway consumed and delivered in each hour of the last ${hourlyEnergyDays} days, if the appliance reports hours.`,
      method: 'GET',
      path: '/hvacs/{gatewayId}/energy/hours',
      ratePolicy: 'gateway',
      onBehalfOfUser: true,
      query: hourlyEnergyQuery,
      success: { status: 200, body: gatewayHourlyEnergy },
      tableActions: { Appliances: ['Query'] },
    },
    getMeasurements: {
      summary: 'Get measurements',
      description: 'Shows the newest measurements of a home, such as the outdoor temperature.',
      method: 'GET',
      path: '/hvacs/{gatewayId}/measurements',
      ratePolicy: 'gateway',
      onBehalfOfUser: true,
      preloads: ['gateway'],
      success: { status: 200, body: gatewayMeasurements },
      tableActions: { Appliances: ['GetItem'] },
    },
  },
  holidays: holidayEndpoints,
  circuits: circuitEndpoints,
  usage: {
    getUsage: {
      summary: 'Get usage',
      description: 'Shows how many requests of the company were served, limited and refused, by day, hour or key.',
      method: 'GET',
      path: '/usage',
      ratePolicy: 'general',
      query: usageQuery,
      success: { status: 200, body: usage },
      tableActions: { Usage: ['GetItem', 'Query'], ApiKeys: ['Query'] },
    },
  },
  audit: {
    listAuditEntries: {
      summary: 'List changes',
      description: `Lists the changes that the company has made in the last ${auditDays} days, and what the operator has changed for the company, newest first.`,
      method: 'GET',
      path: '/audit',
      ratePolicy: 'general',
      query: pageQuery,
      success: { status: 200, body: pageOf(auditEntry) },
      tableActions: { AuditLog: ['Query'], ApiKeys: ['Query'], Contracts: ['BatchGetItem'] },
      settings: ['requiredConsentVersion'],
    },
  },
} as const satisfies Record<string, Readonly<Record<string, Endpoint>>>;

const rows = {
  ...areas['api-keys'],
  ...areas.contract,
  ...areas.events,
  ...areas.webhooks,
  ...areas.gateways,
  ...areas.holidays,
  ...areas.circuits,
  ...areas.usage,
  ...areas.audit,
};

/** Replaces invalid rows by `never`: the compiler reports them above, and does not report them again wherever rows are used. */
type Sound<Rows> = { readonly [Id in keyof Rows]: Rows[Id] extends Endpoint ? Rows[Id] : never };

/**
 * The API: one row per endpoint, named by its operation id. `lambdas/handlers/<area>.ts` exports its handler by this name;
 * everything else (API Gateway methods, functions, grants, environment, types, tests) is derived from its row.
 */
export const endpoints = rows as Sound<typeof rows>;

export type OperationId = keyof typeof endpoints;

export const operationIds = Object.keys(endpoints) as OperationId[];

/** Returns the path of the file that exports the handler of an operation. */
export const handlerFileOf = (operationId: OperationId): string => {
  const [area] = Object.entries(areas).find(([, rows]) => operationId in rows) ?? [];
  return `lambdas/handlers/${area}.ts`;
};
