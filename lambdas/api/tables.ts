/**
 * The DynamoDB tables: keys, indexes and how durable they are. The stack creates them from here, the functions find them
 * through `tableVariable`.
 */
export type Table = {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Named by use; every index projects all attributes. */
  readonly indexes?: Readonly<Record<string, { readonly partitionKey: string; readonly sortKey: string }>>;
  /** Holds epoch seconds. A table that has it is disposable: no backup, no deletion protection. */
  readonly timeToLiveAttribute?: string;
};

export const tables = {
  ApiKeys: { partitionKey: 'companyId', sortKey: 'sk' },
  Contracts: { partitionKey: 'companyId', sortKey: 'sk' },
  TokenBuckets: { partitionKey: 'bucketId', timeToLiveAttribute: 'expiresAt' },
  Appliances: { partitionKey: 'gatewayId', sortKey: 'sk' },
  AuditLog: {
    partitionKey: 'subject',
    sortKey: 'sk',
    indexes: {
      byUser: { partitionKey: 'userId', sortKey: 'sk' },
      byGateway: { partitionKey: 'gatewayId', sortKey: 'sk' },
    },
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;

/** An IAM action on a table, without its `dynamodb:` prefix. */
export type TableAction =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'UpdateItem';

export type TableActions = Readonly<Partial<Record<TableName, readonly TableAction[]>>>;
