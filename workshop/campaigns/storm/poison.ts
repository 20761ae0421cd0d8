import type { DynamoDBRecord } from 'aws-lambda';
import { type Faults, feedOf, type Stage } from '../../../test/support/stage/stage.ts';
import { type Home, homeOf } from '../../../test/support/stage/traffic.ts';

/** Homes of which one sends what no consumer can process: the others must not notice. */
export const [bad, good, other] = [1, 2, 3].map(homeOf) as [Home, Home, Home];
export const homes = [good, bad, other];

/** Returns an error of AWS that rejects the content of a request. */
const refusal = (name: string) =>
  Object.assign(new Error('That cannot be.'), { name, $metadata: { httpStatusCode: 400 } });

export const isOf = ({ companyId, gatewayId }: Home, what: unknown): boolean =>
  [companyId, gatewayId].some((id) => new RegExp(`["|#]${id}["|#\\\\]`).test(JSON.stringify(what)));

export const isOfBad = (what: unknown): boolean => isOf(bad, what);

/** Points at which a consumer of a stream may meet a fault that no retry resolves. */
export const faultsByName: Readonly<Record<string, Faults>> = {
  'the record cannot be read': { recordAs: (record) => (isOfBad(record.dynamodb?.Keys) ? spoilt(record) : record) },
  'the store refuses': { ofStore: ({ input }) => (isOfBad(input) ? refusal('ValidationException') : undefined) },
  'our code fails': { ofStore: ({ input }) => (isOfBad(input) ? new TypeError('x is undefined') : undefined) },
  'a queue refuses': {
    ofQueue: (queue, { body }) =>
      queue !== 'failures' && isOfBad(body) ? refusal('InvalidMessageContents') : undefined,
  },
  'the bus refuses': { ofBus: (events) => (isOfBad(events) ? refusal('MalformedDetail') : undefined) },
};

/** Adds an attribute of a type that does not exist. */
const spoilt = ({ dynamodb, ...record }: DynamoDBRecord): DynamoDBRecord => ({
  ...record,
  dynamodb: { ...dynamodb, NewImage: { ...dynamodb?.NewImage, spoilt: {} as never } },
});

/** Returns the state of the good homes. */
export const stateOf = (stage: Stage) => ({
  feeds: [good, other].map(({ companyId }) =>
    feedOf(stage, companyId).map(({ type, resource, data }) => ({ type, resource, data })),
  ),
  changes: [good, other].map((home) =>
    stage.queues.requestedChanges.bodies().filter((body) => isOf(home, JSON.parse(body))),
  ),
  notices: stage.notices.filter((notice) => !isOfBad(notice)),
});
