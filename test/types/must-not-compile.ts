import { type OwnMetric, ownMetricsOf } from '../../infra/monitoring/metrics.ts';
import { isDecision, timeOfFirst } from '../../infra/monitoring/query-parts.ts';
import { inOrder } from '../../lambdas/api/chain/step-row.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { requestFields } from '../../lambdas/api/events/request-event.ts';
import { gatewayReports } from '../../lambdas/api/inbound-events/gateway-reports.ts';
import type { InboundEventRow } from '../../lambdas/api/inbound-events/inbound-event.ts';
import { Problem } from '../../lambdas/api/problem.ts';
import { serve } from '../../lambdas/chain/serve.ts';
import type { Step } from '../../lambdas/chain/steps/step.ts';
import { steps } from '../../lambdas/chain/steps.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Effect, Effects } from '../../lambdas/inbound/effect.ts';
import { reportsEffects } from '../../lambdas/inbound/effects/reports/reports-effects.ts';
import type { ReadRequirements, Requirements } from '../../operator/roles/requirements.ts';

// Every statement below is a mistake. The comment with the arrow is what the compiler has to say of it.

// → company reads query before it is there
inOrder([
  { name: 'company', reads: ['query'], adds: ['contract'] },
  { name: 'query', reads: ['event'], adds: ['query'] },
]);

// Only endpoints with a query have one.
// → company reads query before it is there
inOrder([
  { name: 'query', appliesTo: { has: 'query' }, reads: ['event'], adds: ['query'] },
  { name: 'company', reads: ['query'], adds: ['contract'] },
]);

// Also what only some endpoints have has to come from an earlier step.
// → lookup reads pathIds before it is there
inOrder([
  { name: 'lookup', reads: ['event'], mayRead: ['pathIds'] },
  { name: 'pathIds', appliesTo: { pathHas: '{' }, reads: ['event'], adds: ['pathIds'] },
]);

// → Property 'nowMs' does not exist on type 'ReadBy<{ readonly name: "company"
export const readsWhatItsRowDoesNotName: Step<'company'> =
  () =>
  ({ nowMs }) =>
    new Problem('company-suspended', nowMs);

// → '"circuit-not-found"' is not assignable to type
export const refusesWithWhatItsRowDoesNotList: Step<'company'> = () => () => new Problem('circuit-not-found');

// → Type '{}' is not assignable to type 'Promise<Outcome<"company">> | Outcome<"company">'
export const addsNotWhatItsRowSays: Step<'company'> = () => () => ({});

// → Property 'consentPortalUrl' does not exist on type 'Pick<Settings, never>'
export const asksForASettingThatItsRowDoesNotName: Step<'company'> =
  () =>
  ({ settings }) =>
    settings.consentPortalUrl;

// → Property 'userId' is missing in type
export const lacksTheStepOfARow: typeof steps = (({ userId, ...others }) => others)(steps);

// → '"circuit-not-found"' is not assignable to type
serve('deleteApiKey', () => new Problem('circuit-not-found'));

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

// → is missing the following properties from type '{ [x: string]: unknown; state: "confirmed" | "pending"
serve('getDhwCircuit', ({ circuit }) => ({ headers: { ETag: '"1"' }, body: circuit }));

// → Property 'headers' is missing in type
serve('getHeatingCircuit', () => ({ body: {} as never }));

// → Property 'gateway' does not exist on type 'CallOf<"getHeatingCircuit">'
serve('getHeatingCircuit', ({ gateway }) => gateway);

// → Property 'circuitId' does not exist on type
serve('getGateway', ({ pathIds }) => pathIds.circuitId);

// → Property 'event' does not exist on type 'CallOf<"getContract">'
serve('getContract', ({ event }) => event);

// → Property 'consentPortalUrl' does not exist on type 'Pick<Settings, never>'
serve('getGateway', ({ settings }) => settings.consentPortalUrl);

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

// A command that changes nothing needs no right to write.
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
export const comesToNothingKnown: Effect<'takeGatewayReports', 'gateway.removed.v1'> = async () => ({
  outcome: 'ignored',
});

// → Argument of type '"requiredConsentVersion"' is not assignable to parameter of type '"metricNamespace"'
export const asksForASettingOfAnotherConsumer: Effect<'takeGatewayReports', 'gateway.removed.v1'> = async ({
  setting,
}) => {
  setting('requiredConsentVersion');
  return { outcome: 'applied' };
};
