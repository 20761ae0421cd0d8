import type { Consumer } from '../api/background-functions.ts';
import {
  requireVariable,
  type SettingName,
  type Settings,
  settings,
  settingVariable,
  tableVariable,
} from '../api/environment.ts';
import type { TableName } from '../api/tables.ts';
import { connectStore, type Store } from '../data/store/store.ts';
import { createProcessMemory, type ProcessMemory } from './process-memory.ts';

/** What the stage provides to a function. */
export type FunctionEnvironment = {
  readonly store: Store;
  /** The time within which all store commands of one request have to be answered. */
  readonly storeDeadlineMs: number;
  readonly memory: ProcessMemory;
  /** The clock of this process. The time of a request is that of API Gateway's clock; this clock bounds it. */
  readonly processTimeMs: () => number;
  /** Throws if the stack did not set it. */
  readonly setting: SettingReader<SettingName>;
  /** Takes one line, its line break included. */
  readonly log: (line: string) => void;
  /** Returns the number of attempts that the store has throttled since the last call. */
  readonly takeThrottles?: () => number;
};

export type SettingReader<Known extends SettingName> = <Name extends Known>(name: Name) => Settings[Name];

/** Leaves half a second of the 2.5 s that a client may wait. */
const storeDeadlineMs = 2000;

export const requestTimeouts = { connectionTimeout: 500, requestTimeout: 700 };

/** A handler that Lambda calls. Tests call it with an environment of their own. */
export type LambdaHandler<Event, Context, Environment, Answer> = {
  (event: Event, context: Context): Answer;
  readonly withEnvironment: (environment: Environment) => (event: Event, context: Context) => Answer;
};

/**
 * Returns the handler of a function with the environment of its stage. The handler takes only event and context, and ignores
 * the callback that a wrapping agent or another runtime passes after them.
 */
export const lambdaHandler = <Event, Context, Environment, Answer>(
  own: Environment,
  handle: (event: Event, environment: Environment, context: Context) => Answer,
): LambdaHandler<Event, Context, Environment, Answer> => {
  const withEnvironment = (environment: Environment) => (event: Event, context: Context) =>
    handle(event, environment, context);
  return Object.assign(withEnvironment(own), { withEnvironment });
};

/** Reads what the stack has set. A missing variable throws only when it is used. */
export const functionEnvironment = (variables: Readonly<Record<string, string | undefined>>): FunctionEnvironment => {
  const variable = (name: string): string => requireVariable(variables, name, 'names it');
  // The local run sets the endpoint.
  const { AWS_REGION: region, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = variables;
  const tableName = remembered((table: TableName) => variable(tableVariable(table)));
  return {
    ...connectStore(tableName, requestTimeouts, { ...(region && { region }), ...(endpoint && { endpoint }) }),
    storeDeadlineMs,
    memory: createProcessMemory(),
    processTimeMs: () => Date.now(),
    setting: remembered((name: SettingName) =>
      settings[name](variable(settingVariable(name))),
    ) as SettingReader<SettingName>,
    // Not through `console`, whose output Lambda would wrap in a line of its own.
    log: (line) => void process.stdout.write(line),
  };
};

/** Calls the function once for each argument, because reading the environment of a process takes long. */
const remembered = <Argument, Result>(read: (argument: Argument) => Result) => {
  const results = new Map<Argument, Result>();
  return (argument: Argument): Result => {
    if (!results.has(argument)) results.set(argument, read(argument));
    return results.get(argument) as Result;
  };
};

/** Leaves a consumer time to report which messages failed: after a time-out, all of them would be received again. */
const answerSeconds = 2;

/** Returns the environment of a queue's consumer. No client waits for it, so its store deadline is almost its own time-out. */
export const consumerEnvironment = (
  { timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>,
  variables: Readonly<Record<string, string | undefined>>,
): FunctionEnvironment => ({
  ...functionEnvironment(variables),
  storeDeadlineMs: (timeoutSeconds - answerSeconds) * 1000,
});
