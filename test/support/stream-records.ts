import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

type Item = Readonly<Record<string, unknown>>;

/**
 * A record of the stream of a table whose items have those keys: an item before and after a change, each undefined where
 * there was none. Records of the same number are the same record.
 */
const recordWith =
  (partitionKey: string) => (sequenceNumber: number, before: Item | undefined, after: Item | undefined) => {
    const { [partitionKey]: partition, sk } = { ...before, ...after };
    return {
      eventID: `record-${sequenceNumber}`,
      dynamodb: {
        ApproximateCreationDateTime: Date.parse('2036-03-10T12:00:00Z') / 1000,
        SequenceNumber: String(sequenceNumber),
        Keys: imageOf({ [partitionKey]: partition, sk }),
        ...(before && { OldImage: imageOf(before) }),
        ...(after && { NewImage: imageOf(after) }),
      },
    } satisfies DynamoDBRecord;
  };

export const applianceRecord = recordWith('gatewayId');
export const companyRecord = recordWith('companyId');

const imageOf = (item: Item) =>
  marshall(item, { removeUndefinedValues: true }) as NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
