import { dhw, heating } from '../../lambdas/api/endpoints/circuit-families.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { apiKey, apiKeyCreated, keyReference, ownApiKey } from '../../lambdas/api/schemas/api-key.ts';
import type { Schema } from '../../lambdas/api/schemas/common.ts';
import { contract } from '../../lambdas/api/schemas/contract.ts';
import { gateway } from '../../lambdas/api/schemas/gateway.ts';

/** What is answered, by its name in the document. */
export const answerSchemas = {
  ApiKeyCreated: apiKeyCreated,
  ApiKey: apiKey,
  ApiKeyPage: endpoints.listApiKeys.success.body,
  ApiKeyReference: keyReference,
  OwnApiKey: ownApiKey,
  Contract: contract,
  Gateway: gateway,
  GatewayPage: endpoints.listGateways.success.body,
  HeatingCircuit: heating.circuit,
  HeatingCircuitPage: endpoints.listHeatingCircuits.success.body,
  HeatingTimeProgram: heating.timeProgram,
  HeatingTimeProgramPage: endpoints.listHeatingTimePrograms.success.body,
  DhwCircuit: dhw.circuit,
  DhwCircuitPage: endpoints.listDhwCircuits.success.body,
  DhwTimeProgram: dhw.timeProgram,
  DhwTimeProgramPage: endpoints.listDhwTimePrograms.success.body,
} as const satisfies Record<string, Schema>;

/** What is sent. */
export const bodySchemas = {
  HeatingCircuitUpdate: heating.circuitUpdate,
  HeatingTimeProgramUpdate: heating.timeProgramUpdate,
  DhwCircuitUpdate: dhw.circuitUpdate,
  DhwTimeProgramUpdate: dhw.timeProgramUpdate,
} as const satisfies Record<string, Schema>;

export type SchemaName = keyof typeof answerSchemas | keyof typeof bodySchemas;

const names = new Map<Schema, string>(
  Object.entries<Schema>({ ...answerSchemas, ...bodySchemas }).map(([name, schema]) => [schema, name]),
);

/** A reference to the schema of a row. */
export const referenceTo = (schema: Schema): { $ref: string } => {
  const name = names.get(schema);
  if (name === undefined) throw new Error('A row has a schema without a name in partner/openapi/schemas.ts.');
  return { $ref: `#/components/schemas/${name}` };
};
