import type { StreamRecord } from '../../dynamodb/stream-reader.ts';

/** Makes the event in which Lambda hands records of a table's stream to a function. */
export const streamEvent = (records: readonly StreamRecord[], streamArn: string) => ({
  Records: records.map(({ eventID, eventName, userIdentity, dynamodb = {} }) => ({
    eventID,
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: streamArn.split(':')[3],
    dynamodb: asJson({
      ...dynamodb,
      ApproximateCreationDateTime: Math.floor(createdAtMs({ dynamodb }) / 1000),
    }),
    ...(userIdentity && { userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId } }),
    eventSourceARN: streamArn,
  })),
});

export const createdAtMs = ({ dynamodb }: Pick<StreamRecord, 'dynamodb'>): number =>
  dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now();

export const sequenceNumberOf = ({ dynamodb }: StreamRecord): string => dynamodb?.SequenceNumber ?? '';

/** Binary values are texts in base64. */
const asJson = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, asJson(part)]));
};
