import { dhwCircuitInEvent, heatingCircuitInEvent } from '../../lambdas/api/schemas/circuit.ts';
import type { Schema } from '../../lambdas/api/schemas/common.ts';
import { contract } from '../../lambdas/api/schemas/contract.ts';
import { energyOfDay } from '../../lambdas/api/schemas/energy.ts';
import {
  expiringApiKey,
  type FeedEventType,
  type FeedEventTypeName,
  feedEvent,
  feedEventDocs,
  feedEventTypes,
} from '../../lambdas/api/schemas/feed.ts';
import { gateway } from '../../lambdas/api/schemas/gateway.ts';
import { holiday } from '../../lambdas/api/schemas/holiday.ts';
import { dhwTimeProgram, heatingTimeProgram } from '../../lambdas/api/schemas/time-program.ts';
import { webhook, webhookDocs } from '../../lambdas/api/schemas/webhook.ts';
import { describe, type JsonSchema, toJsonSchema, typeNameOf } from './json-schema.ts';
import { documentationOf, referenceTo } from './schemas.ts';

type Content = {
  /** The alternatives for `data`; with none, `data` is empty. */
  readonly data: readonly Schema[];
  /** Whether `data` is empty if the resource is gone. */
  readonly mayBeGone?: true;
  readonly exampleResource: string;
};

const ofGateway = { data: [gateway], exampleResource: '/hvacs/gw-1001' };

/** The content of each event type. */
const contents: Readonly<Record<FeedEventTypeName, Content>> = {
  'contract.changed': { data: [contract], exampleResource: '/contract' },
  'consent.changed': { data: [contract], exampleResource: '/contract' },
  'gateway.added': { ...ofGateway, data: [] },
  'gateway.removed': { ...ofGateway, data: [] },
  'api_key.expiring': { data: [expiringApiKey], exampleResource: '/api-keys' },
  'webhook.disabled': { data: [webhook], exampleResource: `/webhooks/${webhookDocs().example.webhookId}` },
  'gateway.connectivity_changed': ofGateway,
  'function.blocked': ofGateway,
  'function.unblocked': ofGateway,
  'fault.reported': ofGateway,
  'fault.cleared': ofGateway,
  'circuit.changed': {
    data: [heatingCircuitInEvent, dhwCircuitInEvent],
    mayBeGone: true,
    exampleResource: '/hvacs/gw-1001/heatingCircuits/hc1',
  },
  'time_program.changed': {
    data: [heatingTimeProgram, dhwTimeProgram],
    mayBeGone: true,
    exampleResource: '/hvacs/gw-1001/heatingCircuits/hc1/timePrograms/1',
  },
  'energy.reported': { data: [energyOfDay], exampleResource: '/hvacs/gw-1001/energy' },
  'holiday.changed': { data: [holiday], mayBeGone: true, exampleResource: '/hvacs/gw-1001/holiday' },
};

const rows = Object.entries(contents) as [FeedEventTypeName, Content][];

const schemaNameOf = (type: FeedEventTypeName) => `${typeNameOf(type)}Event`;

const referenceOf = (type: FeedEventTypeName) => `#/components/schemas/${schemaNameOf(type)}`;

/** Returns the schema of each event type by name, and the schema of all known events. */
export const feedEventSchemas = (): Record<string, JsonSchema> => ({
  ...Object.fromEntries(rows.map(([type, content]) => [schemaNameOf(type), eventSchema(type, content)])),
  KnownFeedEvent: {
    description: 'An event of a type that this version has.',
    oneOf: rows.map(([type]) => ({ $ref: referenceOf(type) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(rows.map(([type]) => [type, referenceOf(type)])),
    },
    examples: [feedEventDocs().example],
  },
});

/** The keywords that apply the schema of its type to every event of a known type. */
export const knownEventsAreTyped: JsonSchema = {
  if: { properties: { type: { description: 'A type that this version has.', enum: rows.map(([type]) => type) } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { $ref: '#/components/schemas/KnownFeedEvent' },
};

const eventSchema = (type: FeedEventTypeName, { data, mayBeGone, exampleResource }: Content): JsonSchema => {
  const { level, summary }: FeedEventType = feedEventTypes[type];
  const { properties, required, ...others } = toJsonSchema(feedEvent, 'answered') as {
    properties: Record<string, JsonSchema>;
    required: string[];
  };
  const isOfGateway = level === 'appliance' || type.startsWith('gateway.');
  const [only] = data;
  const schema = {
    description: summary,
    ...others,
    properties: { ...properties, type: { type: 'string', const: type }, data: dataSchema(data, mayBeGone) },
    required: isOfGateway ? [...required, 'gatewayId'] : required,
  };
  const { gatewayId, ...ofCompany } = feedEventDocs().example;
  return {
    ...describe(schema, { ...feedEventDocs().properties, type: 'The type of the event.' }),
    examples: [
      {
        ...(isOfGateway ? feedEventDocs().example : ofCompany),
        type,
        resource: exampleResource,
        data: only ? documentationOf(only).example : {},
      },
    ],
  };
};

const dataSchema = (data: readonly Schema[], mayBeGone = false): JsonSchema => {
  const schemas = [...data.map(referenceTo), ...(mayBeGone ? [{ type: 'object', maxProperties: 0 }] : [])];
  const [only = { type: 'object', additionalProperties: true }, ...others] = schemas;
  return others.length === 0 ? only : { anyOf: schemas };
};
