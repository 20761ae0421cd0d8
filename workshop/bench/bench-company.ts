import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context, SQSRecord } from 'aws-lambda';
import type { InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Parties } from '../../lambdas/domain/contract.ts';
import type { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import type { listContracts } from '../../lambdas/handlers/contract.ts';
import type { listEvents } from '../../lambdas/handlers/events.ts';
import type { FunctionEnvironment } from '../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { putGateway, putShadow, reportedCircuits } from '../../test/support/appliance.ts';
import { proxyEvent } from '../../test/support/call.ts';
import { eventLike, recordOf } from '../../test/support/messages.ts';
import { partiesOf } from '../../test/support/world.ts';

/** Registers a company; returns its API key. */
export const admitCompany = async (store: Store, companyId: string): Promise<string> => {
  const nowMs = Date.now();
  await putCompany(store, {
    companyId,
    name: 'Bench',
    state: 'active',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
  });
  const auditContext = { companyId, nowMs, requestId: 'bench', operation: 'bench', actorKey: null };
  const creation = await createApiKey(store, auditContext);
  if (creation.outcome !== 'created') throw new Error(`No key could be issued: ${creation.outcome}`);
  return creation.key.apiKey;
};

/** Writes a gateway that its backend has described. */
export const putDescribedGateway = (store: Store, gatewayId: string, nowMs: number): Promise<void> =>
  putGateway(store, {
    gatewayId,
    name: 'Home',
    type: 'heat-pump',
    connectivity: 'online',
    connectivitySinceMs: null,
    lastSeenAtMs: nowMs,
    components: [{ componentId: '1', type: 'heat-pump', model: 'AW-8' }],
    limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
    features: [],
    blocks: {},
    faults: [],
    timeZone: null,
  });

/** Returns a heating circuit as its appliance reported it. */
export const reportedCircuit = (nowMs: number) => ({
  reported: reportedCircuits.heating,
  reportedAtMs: nowMs,
  receivedAtMs: nowMs,
  version: 1,
});

/** Creates a company with a contract and consent; returns who calls. */
export const prepareContract = async (
  store: Store,
  companyId = 'bench',
): Promise<Parties & { readonly apiKey: string }> => {
  const parties = partiesOf(companyId);
  const nowMs = Date.now();
  const apiKey = await admitCompany(store, parties.companyId);
  const contract = { ...unopenedContract(parties), state: 'active', sinceMs: nowMs } as const;
  await putContract(store, { ...contract, ...consentGivenAt(1, nowMs) });
  return { ...parties, apiKey };
};

/** Creates a company with one gateway and one circuit; returns what a call of the circuit contains. */
export const prepareCircuit = async (store: Store): Promise<Omit<Call, 'nowMs'>> => {
  const pathParameters = { gatewayId: 'gw-1', circuitId: 'hc1' };
  const { gatewayId, circuitId } = pathParameters;
  const nowMs = Date.now();
  const company = await prepareContract(store);
  await grantGateway(store, company, gatewayId, nowMs);
  await putDescribedGateway(store, gatewayId, nowMs);
  await putShadow(store, circuitItemKey(gatewayId, 'heating', circuitId), { circuitId }, reportedCircuit(nowMs));
  return { ...company, pathParameters };
};

/** The number of circuits of each family, of time programs of each circuit, and of switch points of each time program. */
export type Home = Readonly<Record<'heating' | 'dhw' | 'timePrograms' | 'switchPoints', number>>;

/** Writes a gateway with its home, as its backend has reported them. */
export const putHome = async (store: Store, gatewayId: string, home: Home, nowMs: number): Promise<void> => {
  const standing = { reportedAtMs: nowMs, receivedAtMs: nowMs, version: 1 };
  await putDescribedGateway(store, gatewayId, nowMs);
  const program = { name: 'At home', switchPoints: Array(home.switchPoints).fill(switchPoint) };
  for (const family of ['heating', 'dhw'] as const)
    for (let circuit = 1; circuit <= home[family]; circuit++) {
      const circuitId = `c${circuit}`;
      const key = circuitItemKey(gatewayId, family, circuitId);
      await putShadow(store, key, { circuitId }, { reported: reportedCircuits[family], ...standing });
      for (let number = 1; number <= home.timePrograms; number++) {
        const programKey = timeProgramItemKey(gatewayId, family, circuitId, `${number}`);
        await putShadow(store, programKey, { timeProgramId: `${number}` }, { reported: program, ...standing });
      }
    }
};

const switchPoint = { dayOfWeek: 'wednesday', time: '06:30', setpoint: 'comfort' };

/** Returns the environment of a function that logs nothing. */
export const benchEnvironment = (store: Store): FunctionEnvironment => ({
  store,
  memory: createProcessMemory(),
  storeDeadlineMs: 60_000,
  processTimeMs: () => Number.MAX_SAFE_INTEGER,
  setting: (name) =>
    ({
      requiredConsentVersion: 1,
      newestConsentVersion: 1,
      consentPortalUrl: 'x',
      metricNamespace: 'x',
      logRetentionDays: 90,
      canaryCompanyId: '-',
    })[name] as never,
  log: () => {},
});

export type Call = {
  readonly apiKey: string;
  readonly userId?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly nowMs: number;
};

/** Returns the event by which API Gateway passes a call on. */
export const eventOf = ({ userId, query = {}, ...call }: Call): APIGatewayProxyEvent =>
  proxyEvent({
    ...call,
    ...(userId !== undefined && { headers: { 'x-user-id': [userId] } }),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  });

/** Calls an endpoint as API Gateway does; returns the body of a 200, and the duration. */
export const callOf = async (
  { withEnvironment }: typeof getHeatingCircuit | typeof listContracts | typeof listEvents,
  environment: FunctionEnvironment,
  call: Call,
) => {
  const event = eventOf(call);
  const startedAt = performance.now();
  const { statusCode, body } = await withEnvironment(environment)(event, {} as Context);
  const durationMs = performance.now() - startedAt;
  if (statusCode !== 200) throw new Error(`The call was answered with ${statusCode}: ${body}`);
  return { durationMs, body: JSON.parse(body) };
};

/** Returns a message that a consumer receives now, with an event like the example of its type. */
export const messageOf = (type: InboundEventType, subject: string, timeMs: number, data: object): SQSRecord => {
  const event = eventLike(type, { id: randomUUID(), subject, timeMs, data });
  const consumer = type.startsWith('portal.') ? 'takePortalEvents' : 'takeGatewayReports';
  return recordOf(consumer, event, { arrivedAtMs: Date.now(), receiveCount: 1, waits: 0 });
};
