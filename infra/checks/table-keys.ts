import { type Check, listOf, resourcesOf } from './check.ts';

type Key = { readonly AttributeName: string; readonly KeyType: string };
type Index = { readonly IndexName: string; readonly KeySchema?: readonly Key[] };

/** Finds tables and indexes whose key is missing, is no key, or names an attribute that the table does not define. */
export const checkTableKeys: Check = (template) =>
  resourcesOf(template, 'AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').flatMap(({ logicalId, properties }) => {
    const indexes = ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes'].flatMap((name) =>
      listOf<Index>(properties[name]),
    );
    const defined = listOf<Key>(properties.AttributeDefinitions).map(({ AttributeName }) => AttributeName);
    const keys = [
      { of: 'The table', schema: listOf<Key>(properties.KeySchema) },
      ...indexes.map(({ IndexName, KeySchema }) => ({ of: `The index ${IndexName}`, schema: listOf(KeySchema) })),
    ];
    const used = keys.flatMap(({ schema }) => schema.map(({ AttributeName }) => AttributeName));
    const sentences = [
      ...keys.filter(({ schema }) => !isKey(schema)).map(({ of }) => `${of} ${notAKey}`),
      ...used.filter((name) => !defined.includes(name)).map((name) => `The key attribute ${name} ${notDefined}`),
      ...defined.filter((name) => !used.includes(name)).map((name) => `The attribute ${name} ${notUsed}`),
      ...unknownIndexes(properties.Replicas, indexes).map((name) => `A replica names the index ${name}, ${unknown}`),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const isKey = (schema: readonly Key[]) =>
  ['HASH', 'HASH,RANGE'].includes(schema.map(({ KeyType }) => KeyType).join(','));

const unknownIndexes = (replicas: unknown, indexes: readonly Index[]): string[] =>
  listOf(replicas as { readonly GlobalSecondaryIndexes?: readonly Index[] }[])
    .flatMap(({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes.map(({ IndexName }) => IndexName))
    .filter((name) => !indexes.some(({ IndexName }) => IndexName === name));

const notAKey = 'has no KeySchema of one HASH attribute and at most one RANGE attribute after it; write one.';
const notDefined = 'is not in AttributeDefinitions; correct the name or define it.';
const notUsed = 'is defined but stands in no key, which DynamoDB refuses; remove it from AttributeDefinitions.';
const unknown = 'which the table does not have; correct the name.';
