import type { Consumer } from '../api/background-functions.ts';
import {
  requireVariable,
  type SettingName,
  type Settings,
  settings,
  settingVariable,
  tableVariable,
} from '../api/environment.ts';
import { createProcessMemory, type ProcessMemory } from '../domain/process-memory.ts';
import { countThrottles, createStore, createStoreClient, type Store } from './store/store.ts';

/** All that a function is given by its stage. */
export type FunctionEnvironment = {
  readonly store: Store;
  /** Every store command of one request has to be answered by then. */
  readonly storeDeadlineMs: number;
  readonly memory: ProcessMemory;
  /** The clock of this process. API Gateway's says what time it is; this one says whether that can be. */
  readonly processTimeMs: () => number;
  /** Throws if the stack did not set it. */
  readonly setting: SettingReader<SettingName>;
  /** Takes one line, its line break included. */
  readonly log: (line: string) => void;
  /** Tells how many attempts the store has throttled since it was asked last. */
  readonly takeThrottles?: () => number;
};

/** Reads one of these settings. */
export type SettingReader<Known extends SettingName> = <Name extends Known>(name: Name) => Settings[Name];

/** Leaves half a second of the 2.5 s that a client may wait. */
export const storeDeadlineMs = 2000;

export const requestTimeouts = { connectionTimeout: 500, requestTimeout: 700 };

/** What Lambda calls. Tests call it in an environment of theirs. */
export type LambdaHandler<Event, Context, Environment, Answer> = {
  (event: Event, context: Context): Answer;
  readonly withEnvironment: (environment: Environment) => (event: Event, context: Context) => Answer;
};

/**
 * The handler of a function in the environment that its stage gives it. It takes event and context alone: an agent that wraps
 * it, or another runtime, hands over a callback behind them.
 */
export const lambdaHandler = <Event, Context, Environment, Answer>(
  own: Environment,
  handle: (event: Event, environment: Environment, context: Context) => Answer,
): LambdaHandler<Event, Context, Environment, Answer> => {
  const withEnvironment = (environment: Environment) => (event: Event, context: Context) =>
    handle(event, environment, context);
  return Object.assign(withEnvironment(own), { withEnvironment });
};

/** Reads what the stack has set. A variable that is missing is an error only when it is asked for. */
export const functionEnvironment = (variables: Readonly<Record<string, string | undefined>>): FunctionEnvironment => {
  const variable = (name: string): string => requireVariable(variables, name, 'names it');
  const client = createStoreClient(requestTimeouts);
  return {
    store: createStore(client, (table) => variable(tableVariable(table))),
    takeThrottles: countThrottles(client),
    storeDeadlineMs,
    memory: createProcessMemory(),
    processTimeMs: () => Date.now(),
    setting: (name) => settings[name](variable(settingVariable(name))) as Settings[typeof name],
    // Past `console`, which Lambda would wrap in a line of its own.
    log: (line) => void process.stdout.write(line),
  };
};

/** Leaves a consumer time to say which messages failed: if it ran out of time, all would be received again. */
const answerSeconds = 2;

/** What a consumer is given by its stage. Nobody waits for it, so its store has almost as long as itself. */
export const consumerEnvironment = (
  { timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>,
  variables: Readonly<Record<string, string | undefined>>,
): FunctionEnvironment => ({
  ...functionEnvironment(variables),
  storeDeadlineMs: (timeoutSeconds - answerSeconds) * 1000,
});
