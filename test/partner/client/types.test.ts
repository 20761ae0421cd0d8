import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { apiVersion } from '../../../lambdas/api/version.ts';
import type { WebhookMessageType as SentMessageType } from '../../../lambdas/domain/webhook-message.ts';
import type { EventType, FeedEvent } from '../../../partner/client/events.ts';
import { operations } from '../../../partner/client/generated/operations.ts';
import type { components } from '../../../partner/client/generated/types.ts';
import { type MeasurementName, measurementUnits } from '../../../partner/client/measurements.ts';
import type {
  Answer,
  DocumentedProblem,
  NoAnswer,
  OperationId,
  RequestOf,
  UnknownAnswer,
} from '../../../partner/client/operation-types.ts';
import type { ListOperationId } from '../../../partner/client/pages.ts';
import type { CallArguments, createPartnerClient, PartnerClient } from '../../../partner/client/partner-client.ts';
import { settingsOf } from '../../../partner/client/settings.ts';
import type { WebhookMessage, WebhookMessageType } from '../../../partner/client/webhooks.ts';

// Checked by the compiler: `npm run types` fails if one of these does not hold.

type Schemas = components['schemas'];
type Ok<Id extends OperationId> = Extract<Answer<Id>, { ok: true }>;
type Refused<Id extends OperationId> = Extract<Answer<Id>, { ok: false }>;

test('the parts of a request are required and optional as in the API document', () => {
  type Ids = { gatewayId: string; circuitId: string };
  expectTypeOf<RequestOf<'getHeatingCircuit'>['path']>().toEqualTypeOf<Ids>();
  expectTypeOf<RequestOf<'updateHeatingCircuit'>['body']>().toEqualTypeOf<Schemas['HeatingCircuitUpdate']>();
  type Conditions = { 'If-Match'?: string | number };
  expectTypeOf<RequestOf<'updateHeatingCircuit'>['headers']>().toEqualTypeOf<Conditions | undefined>();
  expectTypeOf<RequestOf<'createApiKey'>['headers']>().toEqualTypeOf<{ 'Idempotency-Key'?: string } | undefined>();
  expectTypeOf<RequestOf<'listGateways'>['query']>().toEqualTypeOf<{ limit?: number; cursor?: string } | undefined>();
  expectTypeOf<keyof RequestOf<'getContract'>>().toEqualTypeOf<never>();
  expectTypeOf<keyof RequestOf<'listGateways'>>().toEqualTypeOf<'query'>();
  expectTypeOf<keyof RequestOf<'updateDhwTimeProgram'>>().toEqualTypeOf<'path' | 'headers' | 'body'>();
});

test('a request can be omitted only if no part of it is required', () => {
  expectTypeOf<[]>().toExtend<CallArguments<'getContract'>>();
  expectTypeOf<[]>().toExtend<CallArguments<'listGateways'>>();
  expectTypeOf<[]>().not.toExtend<CallArguments<'getGateway'>>();
  type WithoutBody = [{ path: { gatewayId: string; circuitId: string } }];
  expectTypeOf<WithoutBody>().toExtend<CallArguments<'getHeatingCircuit'>>();
  expectTypeOf<WithoutBody>().not.toExtend<CallArguments<'updateHeatingCircuit'>>();
});

test('a success has the status, body and headers of its operation', () => {
  expectTypeOf<Ok<'getHeatingCircuit'>['body']>().toEqualTypeOf<Schemas['HeatingCircuit']>();
  expectTypeOf<Ok<'updateHeatingCircuit'>['status']>().toEqualTypeOf<202>();
  expectTypeOf<Ok<'deleteApiKey'>['body']>().toEqualTypeOf<undefined>();
  expectTypeOf<Ok<'getHeatingCircuit'>['headers']['etag']>().toEqualTypeOf<string>();
  expectTypeOf<Ok<'createApiKey'>['headers']['location']>().toEqualTypeOf<string>();
  expectTypeOf<'etag' extends keyof Ok<'getContract'>['headers'] ? true : false>().toEqualTypeOf<false>();
});

test('a refusal is one of the problems of its operation, or one of the two of the client', () => {
  type Codes = Refused<'deleteApiKey'>['problem']['code'];
  expectTypeOf<'api-key-in-use'>().toExtend<Codes>();
  expectTypeOf<'consent-outdated'>().not.toExtend<Codes>();
  type Outdated = Extract<Refused<'getGateway'>['problem'], { code: 'consent-outdated' }>;
  expectTypeOf<Outdated['portalUrl']>().toEqualTypeOf<string>();
  type Own = Exclude<Refused<'getGateway'>['problem'], DocumentedProblem<'getGateway'>>;
  expectTypeOf<Own>().toEqualTypeOf<UnknownAnswer | NoAnswer>();
});

test('the runtime data of the client agrees with its types', () => {
  type Looked<Id extends OperationId> = (typeof operations)[Id];
  type CodeOf<Problem> = Problem extends { code: infer Code } ? Code : never;
  type Both<Id extends OperationId> = [
    [Looked<Id>['problemCodes'][number], Looked<Id>['successStatus']],
    [CodeOf<DocumentedProblem<Id>>, Ok<Id>['status']],
  ];
  type IsSame<Pair> = Pair extends [infer One, infer Other]
    ? [One, Other] extends [Other, One]
      ? true
      : false
    : never;
  expectTypeOf<{ [Id in OperationId]: IsSame<Both<Id>> }>().toEqualTypeOf<Record<OperationId, true>>();
});

test('a client without an owner has no operation that needs one', () => {
  type Options = { baseUrl: string; apiKey: string };
  type KnownTo<C> = C extends PartnerClient<infer Known> ? Known : never;
  type WithoutOwner = KnownTo<ReturnType<typeof createPartnerClient<Options>>>;
  type NeedsNone = {
    [Id in OperationId]: (typeof operations)[Id]['needsUserId'] extends true ? never : Id;
  }[OperationId];
  expectTypeOf<WithoutOwner>().toEqualTypeOf<NeedsNone>();
  expectTypeOf<'createApiKey' | 'getContract'>().toExtend<WithoutOwner>();
  expectTypeOf<'listGateways'>().not.toExtend<WithoutOwner>();
  type WithOwner = KnownTo<ReturnType<typeof createPartnerClient<Options & { userId: string }>>>;
  expectTypeOf<WithOwner>().toEqualTypeOf<OperationId>();
});

test('lists are the operations that return pages and have a last page', () => {
  type Named = Extract<OperationId, `list${string}`>;
  expectTypeOf<ListOperationId>().toEqualTypeOf<Exclude<Named, 'listEvents'>>();
});

test('a documented event can be narrowed by its type', () => {
  type Raw = Schemas['FeedEvent'];
  expectTypeOf<Raw['data']>().toEqualTypeOf<{ [key: string]: unknown }>();
  expectTypeOf<Raw['type']>().toEqualTypeOf<string>();
  const roomSetpointOf = (event: Raw) => {
    const known = event as Schemas['KnownFeedEvent'];
    return known.type === 'circuit.changed' && 'roomSetpointCelsius' in known.data
      ? known.data.roomSetpointCelsius
      : undefined;
  };
  expectTypeOf<ReturnType<typeof roomSetpointOf>>().toEqualTypeOf<number | null | undefined>();
});

test('the type of an event determines its data', () => {
  type Data<Type extends FeedEvent['type']> = Extract<FeedEvent, { type: Type }>['data'];
  expectTypeOf<Data<'consent.changed'>>().toEqualTypeOf<Schemas['Contract']>();
  expectTypeOf<Data<'function.blocked'>>().toEqualTypeOf<Schemas['Gateway']>();
  expectTypeOf<Data<'fault.reported' | 'fault.cleared'>>().toEqualTypeOf<Schemas['Gateway']>();
  expectTypeOf<NonNullable<Extract<Data<'circuit.changed'>, { gatewayId: string }>>>().toEqualTypeOf<
    Schemas['HeatingCircuitInEvent'] | Schemas['DhwCircuitInEvent']
  >();
  expectTypeOf<FeedEvent['type']>().toEqualTypeOf<EventType | 'unknown-event'>();
});

test('readState is required for events', () => {
  type Options = Parameters<PartnerClient['events']>[0];
  expectTypeOf<Pick<Options, 'cursors'>>().not.toExtend<Options>();
  expectTypeOf<Pick<Options, 'cursors' | 'readState'>>().toExtend<Options>();
});

test('the type of a webhook message determines its data, and the types are those of the service', () => {
  expectTypeOf<WebhookMessageType>().toEqualTypeOf<SentMessageType>();
  expectTypeOf<WebhookMessage['type']>().toEqualTypeOf<WebhookMessageType | 'unknown-message'>();
  expectTypeOf<Extract<WebhookMessage, { type: 'webhook.verify' }>['data']['code']>().toEqualTypeOf<string>();
  expectTypeOf<'code'>().not.toExtend<keyof Extract<WebhookMessage, { type: 'events.available' }>['data']>();
});

test('settings have the type of the change of their circuit', () => {
  expectTypeOf(settingsOf({} as Schemas['HeatingCircuit'])).toEqualTypeOf<Schemas['HeatingCircuitUpdate']>();
  expectTypeOf(settingsOf({} as Schemas['HeatingCircuitInEvent'])).toEqualTypeOf<Schemas['HeatingCircuitUpdate']>();
  expectTypeOf(settingsOf({} as Schemas['DhwCircuit'])).toEqualTypeOf<Schemas['DhwCircuitUpdate']>();
});

test('a known name of a measurement is completed, and another one is accepted', () => {
  expectTypeOf<'outdoorTemperature'>().toExtend<MeasurementName>();
  expectTypeOf<string>().toExtend<MeasurementName>();
  // A union with plain `string` would be `string`, which editors do not complete.
  expectTypeOf<MeasurementName>().not.toEqualTypeOf<string>();
  expectTypeOf(measurementUnits.waterPressure).toEqualTypeOf<'bar'>();
  expectTypeOf(measurementUnits.compressor).toEqualTypeOf<null>();
});

test('no problem of the API has a code that the client itself uses', () => {
  const codes: string[] = Object.values(operations).flatMap(({ problemCodes }) => problemCodes);
  expect(codes).toContain('consent-outdated');
  for (const own of ['unknown-answer', 'no-answer']) expect(codes).not.toContain(own);
});

test('the version of the client follows the version of the API', () => {
  expect(JSON.parse(readFileSync('partner/client/package.json', 'utf8')).version).toMatch(
    new RegExp(`^${apiVersion}\\.\\d+$`),
  );
});
