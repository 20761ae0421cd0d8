import { tableVariable } from '../../lambdas/api/environment-variables.ts';
import { type TableName, tables } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../cli/operator-error.ts';

/** Which stage to work on, and where it runs. */
export type Target = {
  readonly stage: string;
  /** The demo world of `npm start`, in place of AWS. */
  readonly isLocal: boolean;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
};

/** A way to a stage. While it is open, the data modules find the stage's tables through the environment. */
export type Connection = {
  readonly store: Store;
  /** Who is at work, as it stands in the audit log: the caller's ARN, or `local:<user>`. */
  readonly operator: string;
  readonly stackName: string;
  /** The folder with the functions' log lines, where they are files of this machine. */
  readonly logsDirectory?: string | undefined;
  /** The log group with them, where they are in CloudWatch. */
  readonly requestLogGroup?: string | undefined;
  /** What the clock of the store shows; in whole seconds, like the Date header that it comes from. */
  readonly readStoreTimeMs: () => Promise<number>;
  /** The document of the API's resource policy as it is deployed; undefined where it has none. */
  readonly readPolicy: () => Promise<unknown>;
  /** Concurrent executions that the account may have; undefined where nothing limits them. */
  readonly readConcurrencyQuota?: (() => Promise<number | undefined>) | undefined;
  readonly close: () => void;
};

/** Lets the data modules of this process find the tables, as the stack does for a function. */
export const useTables = (physicalNames: Readonly<Record<string, string | undefined>>): void => {
  for (const table of Object.keys(tables) as TableName[]) {
    const physicalName = physicalNames[table];
    if (physicalName === undefined)
      throw new OperatorError(
        'error',
        `The stage has no table ${table}. It was deployed from another version: deploy this one, or use the operator CLI of that one.`,
      );
    process.env[tableVariable(table)] = physicalName;
  }
};
