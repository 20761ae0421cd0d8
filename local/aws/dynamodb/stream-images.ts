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

const typedItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typedValue(value)]));

const typedValue = (value: AttributeValue): AttributeValue => {
  if (value.M) return { M: typedItem(value.M) };
  if (value.L) return { L: value.L.map(typedValue) };
  return Object.keys(value).length > 0 ? value : { M: {} };
};
