/**
 * The DynamoDB tables: keys, indexes and how durable they are. The stack creates them from here, the functions find them
 * through `tableVariable`.
 */
export type Table = {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Named by use. */
  readonly indexes?: Readonly<Record<string, TableIndexRow>>;
  /** Holds the epoch seconds at which an item may go; an item without it stays. */
  readonly timeToLiveAttribute?: string;
  /** All that it holds can be done without: no backup, no deletion protection. */
  readonly isDisposable?: true;
  /** Tells in a stream what its items have become, and with old images also what they were. */
  readonly stream?: 'NEW_IMAGE' | 'NEW_AND_OLD_IMAGES';
  /** Names all attributes that a function may change in place; its role then allows an update of no others. */
  readonly updatedAttributes?: readonly string[];
};

type TableIndexRow = {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** What it holds of an item. Nobody can change it later, nor the key: a change of either is another index. */
  readonly projection: 'ALL' | 'KEYS_ONLY';
};

export const tables = {
  ApiKeys: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    // Only slots have a month, so that no hash gets into the index.
    indexes: { byExpiryMonth: { partitionKey: 'expiryMonth', sortKey: 'companyId', projection: 'ALL' } },
    // Every function notes the use of the key that calls it.
    updatedAttributes: ['lastUsedOn'],
  },
  Companies: { partitionKey: 'companyId' },
  // A partition for each, of company and owner: the owners of a company share none.
  Contracts: {
    partitionKey: 'contractId',
    // One that is not opened has no company that lists it.
    indexes: { byCompany: { partitionKey: 'listedFor', sortKey: 'userId', projection: 'KEYS_ONLY' } },
    // Only those of owners who were erased have it.
    timeToLiveAttribute: 'removeAt',
    // What has changed shows in what was there before.
    stream: 'NEW_AND_OLD_IMAGES',
  },
  TokenBuckets: { partitionKey: 'bucketId', timeToLiveAttribute: 'expiresAt', isDisposable: true },
  Appliances: {
    partitionKey: 'gatewayId',
    sortKey: 'sk',
    // Months of energy have it, and the inventory of a gateway that was removed.
    timeToLiveAttribute: 'removeAt',
    // Only items have it of which a change is open, spread over a few partitions. Reports of others are no write to it.
    indexes: { byOpenSince: { partitionKey: 'openPartition', sortKey: 'openSince', projection: 'KEYS_ONLY' } },
    // Whether a change was requested shows in the old version beside the new one.
    stream: 'NEW_AND_OLD_IMAGES',
  },
  AuditLog: {
    partitionKey: 'subject',
    sortKey: 'sk',
    indexes: {
      byUser: { partitionKey: 'userId', sortKey: 'sk', projection: 'ALL' },
      byGateway: { partitionKey: 'gatewayId', sortKey: 'sk', projection: 'ALL' },
    },
  },
  KeyNotices: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
    stream: 'NEW_IMAGE',
  },
  // The salts of new keys: apart from the keys, and disposable, so that no backup keeps one.
  IdempotencyRecords: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  // What partners are told of: the state itself is in the other tables, and a lost feed begins another life.
  Events: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  // What became of requests, counted in the log: it can be counted again.
  Usage: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  Webhooks: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    // Only webhooks that are owed a poke have it, spread over a few partitions. With its keys alone, neither a lease nor
    // another reason to poke is a write to it.
    indexes: { byDue: { partitionKey: 'due', sortKey: 'dueAt', projection: 'KEYS_ONLY' } },
    // That a webhook was switched off shows in the old state beside the new one.
    stream: 'NEW_AND_OLD_IMAGES',
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;

/** A table with history: what is in it is in no other place. */
export type RetainedTableName = {
  [Name in TableName]: (typeof tables)[Name] extends { readonly isDisposable: true } ? never : Name;
}[TableName];

export const retainedTables = /* @__PURE__ */ (Object.keys(tables) as TableName[]).filter(
  (name): name is RetainedTableName => !('isDisposable' in tables[name]),
);

type IndexName<Name extends TableName> = (typeof tables)[Name] extends { readonly indexes: infer Indexes }
  ? keyof Indexes & string
  : never;

/** An index of a table as IAM names it behind the table: `ApiKeys/index/byExpiryMonth`. */
export type TableIndex = { [Name in TableName]: `${Name}/index/${IndexName<Name>}` }[TableName];

/** An IAM action on a table or an index, without its `dynamodb:` prefix. */
export type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';

export type TableActions = Readonly<Partial<Record<TableName | TableIndex, readonly TableAction[]>>>;
