import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import { contractKey } from '../../lambdas/data/contracts/contracts.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';
import type { QueryLog } from '../../lambdas/runtime/log-queries.ts';
import { OperatorError } from '../error.ts';
import type { Integrations } from '../integrations/integrations.ts';
import type { IpSets } from './ip-sets.ts';

/** The stage of a command, and where it runs. */
export type Target = {
  readonly stage: string;
  /** Whether the stage is the demo world of `npm start` instead of AWS. */
  readonly isLocal: boolean;
  /** The folder with the files of the local run, as its `--directory` names it; the default folder if undefined. */
  readonly directory?: string | undefined;
  /** The account in the configuration; `region` likewise. */
  readonly account: string;
  readonly region: string;
  readonly profile?: string | undefined;
};

/** A connection to a stage. */
export type Connection = {
  readonly store: Store;
  readonly integrations: Integrations;
  /** The operator as the audit log names them: the caller's ARN, or `local:<user>`. */
  readonly operator: string;
  readonly stackName: string;
  /** The folder with the functions' log lines, if they are files of this machine. */
  readonly logsDirectory?: string | undefined;
  /** The log group with the functions' log lines, if they are in CloudWatch. */
  readonly requestLogGroup?: string | undefined;
  /** Queries the log of requests, the access log of API Gateway, or the log of the consumers of queues and streams. */
  readonly queryLog: Readonly<Record<'requests' | 'access' | 'consumers', QueryLog>>;
  /** Resolves to the time of the store in epoch milliseconds, rounded up to whole seconds, the precision of the Date header. */
  readonly readStoreTimeMs: () => Promise<number>;
  /** Resolves to the deployed resource policy of the API; undefined if it has none. */
  readonly readPolicy: () => Promise<unknown>;
  /** The IP sets of AWS WAF, if the stage has any. */
  readonly ipSets?: IpSets | undefined;
  /** Resolves to the pseudonym of an erased owner: always the same, and not computable without the key of the stage. */
  readonly pseudonymOf: (userId: string) => Promise<string>;
  /** Resolves to the URL at which partners call the stage. */
  readonly readBaseUrl: () => Promise<string>;
  /** Starts a run of the sandbox, without waiting for its schedule. A local run has no sandbox. */
  readonly startSandbox?: (() => Promise<void>) | undefined;
  readonly close: () => void;
};

/** Properties of an account that can be read before anything is deployed there. */
export type Account = {
  /** Resolves to the maximum number of concurrent executions of the account; absent if nothing limits them. */
  readonly readConcurrencyQuota?: (() => Promise<number | undefined>) | undefined;
};

/** Returns the store of a stage, given the physical names of its tables. Throws if one is missing. */
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

/** Resolves to the second after the one in the Date header of a response of the store, so the service's clock is not ahead. */
export const readStoreTimeMs = async (store: Store): Promise<number> => {
  // All callers that need the time may read contracts. No contract has this key.
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
  if (date === '')
    throw new OperatorError('error', 'The response of the store has no Date header, so its time is unknown.');
  return Date.parse(date) + 1000;
};

/** Returns the error for a deployed resource policy that differs from what the stack writes. */
export const unreadablePolicy = (what: string) =>
  new OperatorError(
    'error',
    `The deployed resource policy cannot be read: ${what}. If it was changed by hand, deploy the stage to restore the policy of its configuration.`,
  );
