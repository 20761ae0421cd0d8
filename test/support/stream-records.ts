import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

type Item = Readonly<Record<string, unknown>>;

/** A record of the stream of Appliances: an item before and after a change, each undefined where there was none. */
export const applianceRecord = (sequenceNumber: number, before: Item | undefined, after: Item | undefined) => {
  const { gatewayId, sk } = { ...before, ...after };
  return {
    dynamodb: {
      SequenceNumber: String(sequenceNumber),
      Keys: imageOf({ gatewayId, sk }),
      ...(before && { OldImage: imageOf(before) }),
      ...(after && { NewImage: imageOf(after) }),
    },
  } satisfies DynamoDBRecord;
};

const imageOf = (item: Item) =>
  marshall(item, { removeUndefinedValues: true }) as NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
