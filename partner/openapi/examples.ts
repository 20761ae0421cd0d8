import type * as z from 'zod/mini';
import { maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import type { answerSchemas, bodySchemas, SchemaName } from './schemas.ts';

type Schemas = typeof answerSchemas & typeof bodySchemas;
type Example<Name extends SchemaName> = z.output<ReturnType<Schemas[Name]>>;

const apiKey = {
  keyId: 'f3QnT7wLx0RkVb2Z',
  createdAt: '2026-07-15T09:30:00Z',
  createdByKeyId: null,
  expiresAt: '2027-01-15T09:30:00Z',
  state: 'valid',
  lastUsedOn: '2026-11-20',
  inUse: true,
} as const;

const gateway: Example<'Gateway'> = {
  gatewayId: 'gw-1001',
  name: 'Home',
  type: 'heat-pump',
  connectivity: 'online',
  lastSeenAt: '2026-11-20T16:30:00Z',
  components: [
    { componentId: '1', type: 'heat-pump', model: 'AW-8', serialNumber: 'AW8-gw-1001' },
    { componentId: '2', type: 'room-sensor', model: 'RS-1' },
  ],
  blockedFunctions: [
    { function: 'dhwTimePrograms', blockedSince: '2026-11-20T16:00:00Z', blockedUntil: '2026-11-20T17:00:00Z' },
  ],
  limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
};

const standing = { state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' } as const;

const heatingCircuit = {
  gatewayId: 'gw-1001',
  circuitId: 'hc1',
  operationMode: 'auto',
  roomSetpointCelsius: 21.5,
  activeTimeProgramId: '1',
  roomTemperatureCelsius: 20.9,
  supplyTemperatureCelsius: 34.2,
  ...standing,
} as const;

const dhwCircuit = {
  gatewayId: 'gw-1001',
  circuitId: 'dhw1',
  operationMode: 'comfort',
  waterSetpointCelsius: 52,
  activeTimeProgramId: '1',
  waterTemperatureCelsius: 49.8,
  ...standing,
} as const;

/** Good for both families. */
const timeProgramUpdate: Example<'HeatingTimeProgramUpdate'> = {
  name: 'Long evenings',
  switchPoints: [
    { dayOfWeek: 'friday', time: '06:30', setpoint: 'comfort' },
    { dayOfWeek: 'friday', time: '22:00', setpoint: 'eco' },
  ],
};
const timeProgram = { timeProgramId: '1', ...timeProgramUpdate, ...standing };

const pageOf = <Item>(item: Item) => ({ items: [item], nextCursor: null });

/** One of each schema, as one service in one moment would have them. */
export const examples: { readonly [Name in SchemaName]: Example<Name> } = {
  ApiKeyCreated: {
    keyId: apiKey.keyId,
    apiKey: `xHCSAPI_acme_20270115T093000Z_${apiKey.keyId}_${'0'.repeat(49)}`,
    createdAt: apiKey.createdAt,
    expiresAt: apiKey.expiresAt,
  },
  ApiKey: apiKey,
  ApiKeyPage: pageOf(apiKey),
  ApiKeyReference: { keyId: apiKey.keyId, expiresAt: apiKey.expiresAt },
  OwnApiKey: {
    companyId: 'acme',
    keyId: apiKey.keyId,
    createdAt: apiKey.createdAt,
    expiresAt: apiKey.expiresAt,
    sourceIp: '192.0.2.7',
    validKeys: 2,
    maxValidKeys: maxValidKeysPerCompany,
    lastValidKeyExpiresAt: '2027-05-20T08:00:00Z',
  },
  Contract: {
    companyId: 'acme',
    userId: 'owner-4711',
    state: 'active',
    since: '2026-01-01T00:00:00Z',
    consent: {
      requiredVersion: 3,
      acceptedVersion: 3,
      acceptedAt: '2026-01-02T10:15:00Z',
      upToDate: true,
      portalUrl: 'https://portal.example.com/consent',
    },
  },
  Gateway: gateway,
  GatewayPage: pageOf(gateway),
  HeatingCircuit: heatingCircuit,
  HeatingCircuitPage: pageOf(heatingCircuit),
  HeatingCircuitUpdate: { operationMode: 'auto', roomSetpointCelsius: 22 },
  HeatingTimeProgram: timeProgram,
  HeatingTimeProgramPage: pageOf(timeProgram),
  HeatingTimeProgramUpdate: timeProgramUpdate,
  DhwCircuit: dhwCircuit,
  DhwCircuitPage: pageOf(dhwCircuit),
  DhwCircuitUpdate: { waterSetpointCelsius: 55 },
  DhwTimeProgram: timeProgram,
  DhwTimeProgramPage: pageOf(timeProgram),
  DhwTimeProgramUpdate: timeProgramUpdate,
};
