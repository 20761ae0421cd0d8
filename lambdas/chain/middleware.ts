import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { chain, type StepName } from '../api/chain.ts';
import { Problem } from '../api/problem.ts';
import type { SettingName } from '../api/settings.ts';
import type { FunctionEnvironment } from '../data/function-environment.ts';
import type { StoreCall } from '../data/store/store-timing.ts';
import type { FactsSoFar } from './facts.ts';
import type { NamedEndpoint } from './step.ts';
import { steps } from './steps.ts';

export type RequestContext = Context & {
  /** The steps add to them, one after the other. */
  readonly facts: FactsSoFar;
  readonly environment: FunctionEnvironment;
  /** By this process's own clock; says how long the request takes, never what time it is. */
  readonly startedMs: number;
  /** Those that have ended so far. */
  readonly storeCalls: StoreCall[];
};

export type MiddyRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, RequestContext>;

/** Hooks return nothing: any value would end the chain, and an early end skips all later hooks. */
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, RequestContext>;

/** Carries a problem out of the chain: middy refuses by throwing. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/** Makes a step a middleware: it gives the step what is known, keeps what it adds, and throws what it refuses with. */
export const middlewareOf = (name: StepName, endpoint: NamedEndpoint): Middleware => {
  // The order of `api/chain.ts` has been checked: all that the step reads is there.
  const step = steps[name](endpoint) as (facts: object) => unknown;
  const settingNames = settingsOf(name);
  return {
    before: async ({ context: { facts, environment } }) => {
      const outcome = await step({ ...facts, settings: pickSettings(environment, settingNames) });
      if (outcome instanceof Problem) throw new RefusedError(outcome);
      Object.assign(facts, outcome);
    },
  };
};

/** The values of the named settings, by their names. */
export const pickSettings = ({ setting }: FunctionEnvironment, names: readonly SettingName[] = []) =>
  Object.fromEntries(names.map((name) => [name, setting(name)]));

const settingsOf = (stepName: StepName): readonly SettingName[] | undefined =>
  (chain as readonly { readonly name: StepName; readonly settings?: readonly SettingName[] }[]).find(
    ({ name }) => name === stepName,
  )?.settings;
