import { tableIn } from '../template/table-names.ts';
import type { Access, StoreRequest } from './required-access.ts';

/** A call to the store as its metrics see it. */
export type StoreCall = {
  /** `BatchGetItem` */
  readonly operation: string;
  /** Physical names, each once. */
  readonly tables: readonly string[];
  readonly status: number;
  readonly latencyMs: number;
  readonly consumed: readonly ConsumedUnits[];
};

/** Happens when a call was answered. */
export type StoreEvents = { storeCall: [call: StoreCall] };

type ConsumedUnits = { readonly table: string; readonly readUnits: number; readonly writeUnits: number };

export const tablesOf = (accesses: readonly Access[]): string[] => [
  ...new Set(accesses.flatMap(({ resource }) => tableIn(resource) ?? [])),
];

/** Makes the request's body ask for the consumed capacity, unless it says itself what it wants of it. */
export const askingForCapacity = (input: StoreRequest): Buffer =>
  Buffer.from(JSON.stringify({ ReturnConsumedCapacity: 'TOTAL', ...input }));

type ConsumedCapacity = {
  readonly TableName: string;
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
};

const readOperations = ['BatchGetItem', 'GetItem', 'Query', 'Scan', 'TransactGetItems'];

/** Reads what the answer says was consumed; a failed call says nothing. Only transactions tell reads from writes. */
export const consumedUnitsOf = (operation: string, answer: Buffer): ConsumedUnits[] => {
  const { ConsumedCapacity = [] }: { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] } = JSON.parse(
    answer.toString() || '{}',
  );
  const isRead = readOperations.includes(operation);
  return [ConsumedCapacity].flat().map(({ TableName, CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits }) => ({
    table: TableName,
    readUnits: ReadCapacityUnits ?? (isRead ? CapacityUnits : 0),
    writeUnits: WriteCapacityUnits ?? (isRead ? 0 : CapacityUnits),
  }));
};
