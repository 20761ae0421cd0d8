import type { CreateTableCommandInput, StreamViewType, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb';
import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { constructNamesOf } from '../template/construct-names.ts';
import { createResolver } from '../template/intrinsics.ts';
import { readResource } from '../template/resources.ts';
import { tablesIn } from '../template/table-names.ts';
import type { Stack } from '../template/template.ts';

/** Holds what DynamoDB Local is told of a table. */
export type TableDefinition = {
  /** The name that the source code of the stack gives it. */
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

/** DynamoDB Local has nothing of how a table or an index is paid for, watched, protected and backed up. */
const withoutLocalMeaning = [
  ...['BillingMode', 'ContributorInsightsSpecification', 'DeletionProtectionEnabled', 'OnDemandThroughput'],
  ...['PointInTimeRecoverySpecification', 'ProvisionedThroughput', 'ReadOnDemandThroughputSettings'],
  ...['ReadProvisionedThroughputSettings', 'SSESpecification', 'TableClass', 'Tags', 'WarmThroughput'],
  ...['WriteOnDemandThroughputSettings', 'WriteProvisionedThroughputSettings'],
];

/** Reads the tables of a stack; what is not known of one is an error that names it. */
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

/** Refuses tables that are defined otherwise than before: what they hold could not stay. */
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
