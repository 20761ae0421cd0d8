import { type ConsumedUnits, consumedUnitsOf } from 'serve-stack/dynamodb';
import type { theWorld } from './world.ts';

/** A value as it goes over the wire. */
type Attribute = {
  readonly S?: string;
  readonly N?: string;
  readonly M?: Readonly<Record<string, Attribute>>;
  readonly L?: readonly Attribute[];
};

type Exchange = ReturnType<typeof theWorld>['proxy']['exchanges'][number];

/**
 * The units that exchanges with the store consume on AWS. DynamoDB Local rounds up the sum of all items of a table that a
 * transaction writes; AWS rounds up each item, and takes two units for each kB:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-capacity-handling
 */
export const consumedUnits = (exchanges: readonly Exchange[]): ConsumedUnits[] =>
  exchanges.flatMap(({ action, input, output }) => {
    const consumed = consumedUnitsOf(action, Buffer.from(JSON.stringify(output)));
    if (action !== 'TransactWriteItems') return consumed;
    return consumed.map((units) => {
      const sizes = (input.TransactItems ?? []).flatMap((item: Readonly<Record<string, Write>>) =>
        Object.values(item).flatMap(({ TableName, Item }) =>
          TableName === units.table ? [Item ? sizeOf(Item) : usualBytes] : [],
        ),
      );
      const rounded = 2 * kilobytesOf(sum(sizes));
      return { ...units, writeUnits: units.writeUnits - rounded + 2 * sum(sizes.map(kilobytesOf)) };
    });
  });

type Write = { readonly TableName: string; readonly Item?: Readonly<Record<string, Attribute>> };

/** The assumed size of an item that a request updates, deletes or checks, and so does not contain. */
const usualBytes = 250;

const kilobytesOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Bytes by the rules of DynamoDB: UTF-8 names and texts, 1 for two digits, 3 for a map or list plus 1 for each element. */
const sizeOf = (item: Readonly<Record<string, Attribute>>): number =>
  sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + sizeOfValue(value)));

const sizeOfValue = ({ S, N, M, L }: Attribute): number => {
  if (M) return 3 + Object.keys(M).length + sizeOf(M);
  if (L) return 3 + L.length + sum(L.map(sizeOfValue));
  // A boolean or null takes one byte.
  return N === undefined ? Buffer.byteLength(S ?? ' ') : 1 + Math.ceil(N.length / 2);
};

const sum = (sizes: readonly number[]): number => sizes.reduce((all, each) => all + each, 0);
