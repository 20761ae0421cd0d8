/**
 * A DynamoDB table: its keys, its indexes and how durable it is. The stack creates the tables from these rows; the
 * functions find them through `tableVariable`.
 */
export type Table = {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Each is named after its use. */
  readonly indexes?: Readonly<Record<string, TableIndexRow>>;
  /** The attribute with the epoch seconds after which an item may be deleted; an item without it stays. */
  readonly timeToLiveAttribute?: string;
  /** Its data can be lost without harm: the table has no backup and no deletion protection. */
  readonly isDisposable?: true;
  /** The images in its stream: of an item after a change, or after and before it. */
  readonly stream?: 'NEW_IMAGE' | 'NEW_AND_OLD_IMAGES';
  /** All attributes that a function may change in place; its role then allows an update of no others. */
  readonly updatedAttributes?: readonly string[];
};

type TableIndexRow = {
  readonly partitionKey: string;
  readonly sortKey: string;
  /**
   * The attributes that the index copies. Neither the projection nor the key can be changed later: a change of either needs
   * a new index.
   */
  readonly projection: 'ALL' | 'KEYS_ONLY';
};

export const tables = {
  ApiKeys: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    // Only slots have the attribute, so that no hash is copied to the index.
    indexes: { byExpiryMonth: { partitionKey: 'expiryMonth', sortKey: 'companyId', projection: 'ALL' } },
    // Every function records the use of the key that calls it.
    updatedAttributes: ['lastUsedOn'],
  },
  Companies: { partitionKey: 'companyId' },
  // One partition for each pair of company and owner: the owners of a company share no partition.
  Contracts: {
    partitionKey: 'contractId',
    // A contract that is not opened has no `listedFor`, so its company does not list it. The ended ones are a list of their own.
    indexes: { byCompany: { partitionKey: 'listedFor', sortKey: 'userId', projection: 'KEYS_ONLY' } },
    // Only the contracts of erased owners have it.
    timeToLiveAttribute: 'removeAt',
    // A comparison with the old image shows what has changed.
    stream: 'NEW_AND_OLD_IMAGES',
  },
  TokenBuckets: { partitionKey: 'bucketId', timeToLiveAttribute: 'expiresAt', isDisposable: true },
  Appliances: {
    partitionKey: 'gatewayId',
    sortKey: 'sk',
    // Set on items with reported parts, and on the inventory of a removed gateway.
    timeToLiveAttribute: 'removeAt',
    // Only items with an open change have these keys, spread over a few partitions. Reports on other items do not write to the
    // indexes, and an open change that does not expire writes only to the first.
    indexes: {
      byOpenSince: { partitionKey: 'openPartition', sortKey: 'openSince', projection: 'KEYS_ONLY' },
      byOpenUntil: { partitionKey: 'openPartition', sortKey: 'openUntil', projection: 'KEYS_ONLY' },
    },
    // A comparison of the old and the new version shows whether a change was requested.
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
  // The salts of new keys: separate from the keys, and disposable, so that no backup keeps a salt.
  IdempotencyRecords: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  // The feeds: the state itself is in the other tables, and a lost feed starts a new generation.
  Events: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  // The counts of requests by outcome, taken from the log: they can be counted again.
  Usage: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
  Webhooks: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    // Only webhooks that are owed a webhook message have the key, spread over a few partitions. The index copies only keys, so
    // neither a lease nor another reason for a message writes to it.
    indexes: { byDue: { partitionKey: 'due', sortKey: 'dueAt', projection: 'KEYS_ONLY' } },
    // A comparison of the old and the new state shows that a webhook was disabled.
    stream: 'NEW_AND_OLD_IMAGES',
  },
  // What became of each message to a webhook. Not in Webhooks, whose rows are backed up and read by a stream.
  WebhookAttempts: {
    partitionKey: 'companyId',
    sortKey: 'sk',
    timeToLiveAttribute: 'removeAt',
    isDisposable: true,
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;

/** A table with history: its data is in no other place. */
type RetainedTableName = {
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
