import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type StreamViewType,
  type TimeToLiveSpecification,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { requireKnown, UserFacingError } from '../errors.ts';
import { createResolver } from '../template/intrinsics.ts';
import { readResource } from '../template/known-template.ts';
import { constructNamesOf, type Stack, tablesIn } from '../template/stack.ts';

/**
 * Creates the stack's tables that do not exist yet. Returns their physical names by construct name:
 * `createTables(client, stack, 'run7-')` → `{ ApiKeys: 'run7-ApiKeys', … }`.
 */
export const createTables = async (
  client: DynamoDBClient,
  stack: Stack,
  prefix?: string,
): Promise<Readonly<Record<string, string>>> => {
  const tables = readTables(stack, prefix);
  await Promise.all(tables.map((table) => createTable(client, table)));
  return Object.fromEntries(tables.map(({ constructName, TableName }) => [constructName, TableName]));
};

const createTable = async (client: DynamoDBClient, { TableName, schema, stream, timeToLive }: TableDefinition) => {
  const StreamSpecification = stream && { StreamEnabled: true, ...stream };
  try {
    await client.send(
      new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...schema, StreamSpecification }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (timeToLive) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: timeToLive }));
};

/** Deletes the stack's existing tables with all their items. */
export const deleteTables = async (client: DynamoDBClient, stack: Stack, prefix?: string): Promise<void> => {
  await Promise.all(
    readTables(stack, prefix).map(({ TableName }) =>
      client.send(new DeleteTableCommand({ TableName })).catch((error) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }),
    ),
  );
};

/** The definition of a table for DynamoDB Local. */
type TableDefinition = {
  /** The name in the source code of the stack. */
  readonly constructName: string;
  readonly TableName: string;
  readonly schema: Pick<
    CreateTableCommandInput,
    'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes'
  >;
  readonly stream: { readonly StreamViewType: StreamViewType } | undefined;
  readonly timeToLive: TimeToLiveSpecification | undefined;
};

type Index = NonNullable<CreateTableCommandInput['GlobalSecondaryIndexes']>[number];

type TableProperties = {
  readonly AttributeDefinitions?: CreateTableCommandInput['AttributeDefinitions'];
  readonly KeySchema?: CreateTableCommandInput['KeySchema'];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly LocalSecondaryIndexes?: readonly Index[];
  readonly Replicas?: readonly object[];
  readonly StreamSpecification?: TableDefinition['stream'];
  readonly TimeToLiveSpecification?: TableDefinition['timeToLive'];
};

const knownProperties = [
  ...['AttributeDefinitions', 'GlobalSecondaryIndexes', 'KeySchema', 'LocalSecondaryIndexes', 'Replicas'],
  ...['StreamSpecification', 'TableName', 'TimeToLiveSpecification'],
];

/** DynamoDB Local does not support the properties for billing, monitoring, protection and backups of a table or an index. */
const withoutLocalMeaning = [
  ...['BillingMode', 'ContributorInsightsSpecification', 'DeletionProtectionEnabled', 'OnDemandThroughput'],
  ...['PointInTimeRecoverySpecification', 'ProvisionedThroughput', 'ReadOnDemandThroughputSettings'],
  ...['ReadProvisionedThroughputSettings', 'SSESpecification', 'TableClass', 'Tags', 'WarmThroughput'],
  ...['WriteOnDemandThroughputSettings', 'WriteProvisionedThroughputSettings'],
];

/** Reads the tables of a stack. Throws an error that names any unknown property. */
export const readTables = (stack: Stack, prefix: string | undefined): TableDefinition[] => {
  const { template } = stack;
  const resolve = createResolver(stack, { tablePrefix: prefix });
  const tables = tablesIn(template);
  const constructNames = constructNamesOf(tables);
  return tables.map((resource) => {
    const { logicalId } = resource;
    const table = readResource<TableProperties>(resource, resolve, [...knownProperties, ...withoutLocalMeaning]);
    const known = (what: string, part: object = {}, names: readonly string[]) =>
      requireKnown(`${what} of ${logicalId}:`, Object.keys(part), names);
    for (const replica of table.Replicas ?? [])
      known('property of a replica', replica, ['GlobalSecondaryIndexes', 'Region', ...withoutLocalMeaning]);
    known('property of the stream', table.StreamSpecification, ['StreamViewType']);
    known('property of the time to live', table.TimeToLiveSpecification, ['AttributeName', 'Enabled']);
    const indexes = (kind: 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes') =>
      table[kind] && {
        [kind]: table[kind].map(({ IndexName, KeySchema, Projection, ...others }) => {
          known('property of an index', others, withoutLocalMeaning);
          return { IndexName, KeySchema, Projection };
        }),
      };
    return {
      constructName: constructNames.get(logicalId) ?? logicalId,
      TableName: resolve<string>({ Ref: logicalId }),
      schema: {
        AttributeDefinitions: table.AttributeDefinitions,
        KeySchema: table.KeySchema,
        ...indexes('GlobalSecondaryIndexes'),
        ...indexes('LocalSecondaryIndexes'),
      },
      stream: table.StreamSpecification,
      timeToLive: table.TimeToLiveSpecification,
    };
  });
};

/** Throws if the definition of a table has changed, since its data could not stay. */
export const requireUnchangedTables = (before: readonly TableDefinition[], after: readonly TableDefinition[]): void => {
  const definitions = new Map(before.map((table) => [table.TableName, JSON.stringify(table)]));
  const changed = after.find(
    (table) => (definitions.get(table.TableName) ?? JSON.stringify(table)) !== JSON.stringify(table),
  );
  if (changed)
    throw new UserFacingError(
      `The table ${changed.constructName} has other keys, indexes or streams than before. ` +
        'Stop, and start again without its data.',
    );
};
