import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type StreamViewType,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { requireKnown } from '../require-known.ts';
import { constructNameOf, type NamedResource, resourcesOf, type Template } from '../template/template.ts';

export const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'] as const;

type TableProperties = Pick<
  CreateTableCommandInput,
  'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes'
> & {
  readonly StreamSpecification?: { readonly StreamViewType: StreamViewType };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
};

/** How a table is paid for, protected and backed up: nothing that DynamoDB Local has. */
const withoutLocalMeaning = [
  'BillingMode',
  'DeletionProtectionEnabled',
  'PointInTimeRecoverySpecification',
  'Replicas',
  'SSESpecification',
  'Tags',
  'WriteOnDemandThroughputSettings',
];
const created = [
  'AttributeDefinitions',
  'KeySchema',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
  'StreamSpecification',
  'TimeToLiveSpecification',
];

/** The name of a table on this machine; a prefix keeps apart those who share one DynamoDB Local. */
export const physicalTableName = (table: NamedResource, prefix = ''): string => prefix + constructNameOf(table);

/**
 * Creates the template's tables where they do not exist yet, and tells their physical names by construct name:
 * `createTables(client, template, 'run7-')` → `{ ApiKeys: 'run7-ApiKeys', … }`.
 */
export const createTables = async (
  client: DynamoDBClient,
  template: Template,
  prefix = '',
): Promise<Readonly<Record<string, string>>> => {
  const tables = resourcesOf(template, ...tableTypes);
  await Promise.all(tables.map((table) => createTable(client, table, physicalTableName(table, prefix))));
  return Object.fromEntries(tables.map((table) => [constructNameOf(table), physicalTableName(table, prefix)]));
};

const createTable = async (client: DynamoDBClient, table: NamedResource, TableName: string) => {
  const { TimeToLiveSpecification, StreamSpecification, ...keysAndIndexes } = tablePropertiesOf(table);
  requireKnown('property of a stream:', Object.keys(StreamSpecification ?? {}), ['StreamViewType']);
  const stream = StreamSpecification && { StreamSpecification: { StreamEnabled: true, ...StreamSpecification } };
  try {
    await client.send(
      new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...keysAndIndexes, ...stream }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (TimeToLiveSpecification) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

/** Deletes the template's tables where they exist, with all that is in them. */
export const deleteTables = async (client: DynamoDBClient, template: Template, prefix = ''): Promise<void> => {
  const names = resourcesOf(template, ...tableTypes).map((table) => physicalTableName(table, prefix));
  await Promise.all(
    names.map((TableName) =>
      client.send(new DeleteTableCommand({ TableName })).catch((error) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }),
    ),
  );
};

const tablePropertiesOf = ({ logicalId, Properties = {} }: NamedResource): TableProperties => {
  requireKnown(`property of the table ${logicalId}:`, Object.keys(Properties), [...created, ...withoutLocalMeaning]);
  return Object.fromEntries(
    Object.entries(Properties).filter(([name]) => created.includes(name)),
  ) as unknown as TableProperties;
};
