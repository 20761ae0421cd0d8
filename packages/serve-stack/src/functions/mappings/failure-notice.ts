import type { StreamRecord } from '../../dynamodb/stream-reader.ts';
import type { GiveUpReason } from './stream-batches.ts';
import { createdAtMs, sequenceNumberOf } from './stream-event.ts';

type Circumstances = {
  readonly condition: GiveUpReason;
  readonly approximateInvokeCount: number;
  readonly invokedArn: string;
  readonly shardId: string;
  readonly sourceArn: string;
};

/** Makes what Lambda sends in place of records that it gave up: where they stand, not what is in them. */
export const failureNotice = (
  records: readonly StreamRecord[],
  { condition, approximateInvokeCount, invokedArn, shardId, sourceArn }: Circumstances,
) => {
  const [first] = records;
  const last = records.at(-1);
  if (!first || !last) throw new RangeError('A notice is about records.');
  return {
    requestContext: { functionArn: invokedArn, condition, approximateInvokeCount },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: sequenceNumberOf(first),
      endSequenceNumber: sequenceNumberOf(last),
      approximateArrivalOfFirstRecord: new Date(createdAtMs(first)).toISOString(),
      approximateArrivalOfLastRecord: new Date(createdAtMs(last)).toISOString(),
      batchSize: records.length,
      streamArn: sourceArn,
    },
  };
};
