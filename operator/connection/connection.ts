import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import { contractKey } from '../../lambdas/data/contracts/contracts.ts';
import type { QueryLog } from '../../lambdas/data/log-queries.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../error.ts';
import type { Integrations } from '../integrations/integrations.ts';
import type { IpSets } from './ip-sets.ts';

/** The stage to work on, and where it runs. */
export type Target = {
  readonly stage: string;
  /** The demo world of `npm start`, in place of AWS. */
  readonly isLocal: boolean;
  /** The folder in which that keeps its files, as it was told; its usual one if it was told none. */
  readonly directory?: string | undefined;
  /** The account and the region of its configuration. */
  readonly account: string;
  readonly region: string;
  /** The names of tables that another stage's stack has made for it, by those of the source code. */
  readonly replicaNames: Readonly<Record<string, string>>;
  readonly profile?: string | undefined;
};

/** A way to a stage. */
export type Connection = {
  readonly store: Store;
  readonly integrations: Integrations;
  /** The person at work, as the audit log names them: the caller's ARN, or `local:<user>`. */
  readonly operator: string;
  readonly stackName: string;
  /** The folder with the functions' log lines, where they are files of this machine. */
  readonly logsDirectory?: string | undefined;
  /** The log group with them, where they are in CloudWatch. */
  readonly requestLogGroup?: string | undefined;
  /** Asks the log of requests, or that of the consumers of queues and streams. */
  readonly queryLog: Readonly<Record<'requests' | 'consumers', QueryLog>>;
  /** What the clock of the store shows, rounded up to whole seconds: the Date header has no more. */
  readonly readStoreTimeMs: () => Promise<number>;
  /** The document of the API's resource policy as it is deployed; undefined if it has none. */
  readonly readPolicy: () => Promise<unknown>;
  /** The IP sets of AWS WAF, where the stage has some. */
  readonly ipSets?: IpSets | undefined;
  /** What stands for an owner who was erased: the same each time, and nobody makes the id of it without the key of the stage. */
  readonly pseudonymOf: (userId: string) => Promise<string>;
  /** Where partners call the stage. */
  readonly readBaseUrl: () => Promise<string>;
  readonly close: () => void;
};

/** What an account tells of itself, also before anything is deployed there. */
export type Account = {
  /** Concurrent executions that the account may have; absent if nothing limits them. */
  readonly readConcurrencyQuota?: (() => Promise<number | undefined>) | undefined;
};

/** The store of a stage, by the physical names of its tables. Throws if it lacks one. */
export const storeOf = (client: DynamoDBClient, physicalNames: Readonly<Record<string, string | undefined>>): Store => {
  const physicalNameOf = (table: TableName): string => {
    const name = physicalNames[table];
    if (name !== undefined) return name;
    throw new OperatorError(
      'error',
      `The stage has no table ${table}. It was deployed from another version: deploy this one, or use the operator CLI of that one.`,
    );
  };
  for (const table of Object.keys(tables) as TableName[]) physicalNameOf(table);
  return createStore(client, physicalNameOf);
};

/** The second after that in the Date header of an answer of the store: the clock of the service shows no later time. */
export const readStoreTimeMs = async (store: Store): Promise<number> => {
  // Whoever changes anything of a company may read its contract; this one is nobody's.
  const command = new GetCommand({
    TableName: store.tableName('Contracts'),
    Key: contractKey({ companyId: '-', userId: '-' }),
  });
  let date = '';
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers: Record<string, string> }).headers.date ?? '';
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  await store.send(command);
  if (date === '') throw new OperatorError('error', 'The store does not say what time it is: its answer has no Date.');
  return Date.parse(date) + 1000;
};

/** The error that a deployed resource policy is not one that the stack writes. */
export const unreadablePolicy = (what: string) =>
  new OperatorError(
    'error',
    `The deployed resource policy cannot be read: ${what}. If it was changed by hand, deploy the stage to have the policy of its configuration again.`,
  );
