import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { isDecision, timeOfFirst } from '../../infra/monitoring/log-query-terms.ts';
import { type OwnMetric, ownMetricsOf } from '../../infra/monitoring/metrics.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { gatewayReports } from '../../lambdas/api/inbound-events/gateway-reports.ts';
import type { InboundEventRow } from '../../lambdas/api/inbound-events/inbound-event.ts';
import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { Problem } from '../../lambdas/api/problems.ts';
import { authentication } from '../../lambdas/chain/authentication.ts';
import type { authorization } from '../../lambdas/chain/authorization.ts';
import { type Preloads, preloads } from '../../lambdas/chain/preloads.ts';
import { bucketChoice } from '../../lambdas/chain/rate-limit.ts';
import { type Arrival, type Outcome, request, type WellFormed } from '../../lambdas/chain/request.ts';
import { serve, through } from '../../lambdas/chain/serve.ts';
import type { AnyPartsItem } from '../../lambdas/data/appliances/parts-items.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { reportsEffects } from '../../lambdas/inbound/report-effects.ts';
import type { Effects } from '../../lambdas/inbound/take-messages.ts';
import type { ReadRequirements, Requirements } from '../../operator/cli/roles.ts';

// Every statement below is a mistake. The comment with the arrow is the error that the compiler has to report.

const endpoint = { operationId: 'getGateway', ...endpoints.getGateway } as const;
const arrived = middy<Arrival, APIGatewayProxyResult>();
const wellFormed = through(arrived, request(endpoint));

// → is missing the following properties from type 'WellFormed': presentedKey
through(arrived, authentication(endpoint));

// → is missing the following properties from type '{ readonly key: StoredApiKey
through(wellFormed, bucketChoice(endpoint));

// → Property 'preloaded' is missing in type
through(wellFormed, preloads(endpoints.getGateway));

// → Property 'contract' does not exist on type
through(wellFormed, async ({ contract }) => ({ isSuspended: contract.state === 'suspended' }));

// → '"circuit-not-found"' is not assignable to type
export const refusesWithWhatItDoesNotDeclare = async (): Outcome<'rateLimit', undefined> =>
  new Problem('circuit-not-found');

// → Type '{ presentedKey: never; }' is missing the following properties
export const addsNotWhatItSays = async (): Outcome<'request', WellFormed> => ({ presentedKey: {} as never });

// → Argument of type '"canaryCompanyId"' is not assignable to parameter of type
export const asksForASettingThatItDoesNotDeclare: ReturnType<typeof authorization> = async ({ environment }) => {
  environment.setting('canaryCompanyId');
  return new Problem('user-id-mismatch');
};

// → Property 'timeProgram' is missing in type
({}) satisfies Preloads<typeof endpoints.getHeatingTimeProgram>;

// → '"circuit-not-found"' is not assignable to type
serve('deleteApiKey', () => new Problem('circuit-not-found'));

// → is not assignable to type '`REPORTED_${string}`'
export const isLeftWhenItsGatewayIsRemoved: AnyPartsItem['sk'] = 'ENERGY#2026-11';

// → Property 'maxValidKeys' is missing in type
export const lacksAMemberOfItsProblem = new Problem('api-key-limit-reached', { validKeys: [] });

// → Expected 3 arguments, but got 2
export const lacksAHeaderOfItsProblem = new Problem('consent-outdated', {
  requiredConsentVersion: 2,
  acceptedConsentVersion: 1,
  portalUrl: 'https://portal.example.com',
});

// → Type 'number' is not assignable to type 'string'
serve('getContract', ({ contract }) => ({ body: { ...contract, since: 1, consent: {} as never } }));

// → is missing the following properties from type
serve('getDhwCircuit', ({ circuit }) => ({ headers: { ETag: '"1"' }, body: circuit }));

// → Property 'headers' is missing in type
serve('getHeatingCircuit', () => ({ body: {} as never }));

// → Property 'gateway' does not exist on type 'CallOf<"getHeatingTimeProgram">'
serve('getHeatingTimeProgram', ({ gateway }) => gateway);

// → Property 'circuitId' does not exist on type
serve('getGateway', ({ pathIds }) => pathIds.circuitId);

// → Property 'event' does not exist on type 'CallOf<"getContract">'
serve('getContract', ({ event }) => event);

// → Argument of type '"consentPortalUrl"' is not assignable to parameter of type 'never'
serve('getGateway', ({ setting }) => setting('consentPortalUrl'));

// → Type '"fast"' is not assignable to type
export const hasNoSuchPolicy: Endpoint = { ...({} as Endpoint), ratePolicy: 'fast' };

// → Argument of type '"ApiKey"' is not assignable to parameter of type
export const namesNoTable = ({ tableName }: Store) => tableName('ApiKey');

// → Property 'decided' does not exist on type
export const namesNoFieldOfTheEvent = requestFields.decided;

// → Argument of type '"rejected"' is not assignable to parameter of type
isDecision('rejected');

// → Argument of type '"GetItems"' is not assignable to parameter of type
timeOfFirst('GetItems');

const own: OwnMetric = ownMetricsOf('PartnerApi-test');

// → '"Request"' is not assignable to
own('Request', { decision: 'failed' });

// API Gateway counts the served requests.
// → Type '"allowed"' is not assignable to type
own('Requests', { decision: 'allowed' });

// An id is a field, never a dimension.
// → 'companyId' does not exist in type
own('Requests', { companyId: 'acme' });

// → Type '"unavailable"' is not assignable to type
own('Requests', { reason: 'unavailable' });

// Requests are counted by a dimension only.
// → Argument of type '{}' is not assignable to parameter of type
own('Requests', {});

// This metric is one series.
// → Type 'string' is not assignable to type
own('InitMs', { decision: 'failed' });

// A command without a write may not have the right to write.
// → Type '"UpdateItem"' is not assignable to type
({ tableActions: { Contracts: ['UpdateItem'] } }) satisfies ReadRequirements;

// No command changes or deletes a row of the audit log.
// → Type '"DeleteItem"' is not assignable to type
({ tableActions: { AuditLog: ['DeleteItem'] } }) satisfies Requirements;

const reported = gatewayReports['circuit.reported.v1'];

// → Property 'queue' is missing in type
(({ queue, ...others }) => others)(reported) satisfies InboundEventRow;

// An event comes from a queue that the service receives from.
// → Type '"requestedChanges"' is not assignable to type
({ ...reported, queue: 'requestedChanges' }) satisfies InboundEventRow;

// → Type '"userId"' is not assignable to type
({ ...reported, subject: 'userId' }) satisfies InboundEventRow;

// → Property 'data' is missing in type
(({ data, ...others }) => others)(reported) satisfies InboundEventRow;

// → Property '"change.refused.v1"' is missing in type
export const lacksTheEffectOfARow: Effects<'takeGatewayReports'> = (({ 'change.refused.v1': _, ...others }) => others)(
  reportsEffects,
);

// → Type 'Promise<{ outcome: "ignored"; }>' is not assignable to type
export const comesToNothingKnown: Effects<'takeGatewayReports'>['gateway.removed.v1'] = async () => ({
  outcome: 'ignored',
});

// → Argument of type '"requiredConsentVersion"' is not assignable to parameter of type '"metricNamespace"'
export const asksForASettingOfAnotherConsumer: Effects<'takeGatewayReports'>['gateway.removed.v1'] = async ({
  setting,
}) => {
  setting('requiredConsentVersion');
  return { outcome: 'applied' };
};
