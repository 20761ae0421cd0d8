import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';

type Item = Record<string, AttributeValue>;

/** DynamoDB Local tells an empty map in a stream without its type, which a function could not read; here it gets it. */
export const withTypesOfEmptyMaps = (record: _Record): _Record => {
  const { dynamodb } = record;
  if (!dynamodb) return record;
  const { NewImage, OldImage } = dynamodb;
  return {
    ...record,
    dynamodb: {
      ...dynamodb,
      ...(NewImage && { NewImage: typedItem(NewImage) }),
      ...(OldImage && { OldImage: typedItem(OldImage) }),
    },
  };
};

/** DynamoDB Local tells when a record was made by the minute; one that was not there yet at some time is younger than that. */
export const notMadeBefore = (record: _Record, knownMs: number | undefined): _Record => {
  const { dynamodb } = record;
  const toldMs = dynamodb?.ApproximateCreationDateTime?.getTime();
  if (knownMs === undefined || toldMs === undefined || toldMs >= knownMs) return record;
  return { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime: new Date(knownMs) } };
};

const typedItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typedValue(value)]));

const typedValue = (value: AttributeValue): AttributeValue => {
  if (value.M) return { M: typedItem(value.M) };
  if (value.L) return { L: value.L.map(typedValue) };
  return Object.keys(value).length > 0 ? value : { M: {} };
};
