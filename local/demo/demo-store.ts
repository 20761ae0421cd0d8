import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { loadStageConfig } from '../../config/load.ts';
import { tableVariable } from '../../lambdas/api/environment-variables.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createTables, deleteTables } from '../store/tables.ts';
import { account } from '../template/account.ts';
import type { Template } from '../template/template.ts';
import { type DemoCompany, isStillThere, seedDemoWorld } from './demo-world.ts';

type Options = {
  readonly endpoint: string;
  readonly template: Template;
  readonly tablePrefix: string;
  /** Those of an earlier run whose data is kept, if there was one; undefined where the tables are to begin empty. */
  readonly keptCompanies: readonly DemoCompany[] | undefined;
};

/** Creates the template's tables and fills them with the demo world, unless that of an earlier run is kept. */
export const prepareStore = async ({ endpoint, template, tablePrefix, keptCompanies }: Options) => {
  const client = new DynamoDBClient({ endpoint, region: account.region, credentials: anybody });
  try {
    if (!keptCompanies) await deleteTables(client, template, tablePrefix);
    const tables = await createTables(client, template, tablePrefix);
    const store = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
    return await withTableVariables(tables, async () => {
      const nowMs = Math.floor(Date.now() / 1000) * 1000;
      if (keptCompanies?.length && (await isStillThere(store, keptCompanies, nowMs))) return keptCompanies;
      return seedDemoWorld(store, loadStageConfig('local'), nowMs);
    });
  } finally {
    client.destroy();
  }
};

/** DynamoDB Local asks for credentials, but not whose. */
const anybody = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The data modules find their tables through the environment, as in a function; afterwards it is as it was. */
const withTableVariables = async <T>(tables: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> => {
  const variables = Object.entries(tables).map(([table, name]) => [tableVariable(table as TableName), name] as const);
  const before = variables.map(([variable]) => [variable, process.env[variable]] as const);
  setVariables(variables);
  try {
    return await work();
  } finally {
    setVariables(before);
  }
};

const setVariables = (variables: readonly (readonly [name: string, value: string | undefined])[]) => {
  for (const [name, value] of variables)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
};
