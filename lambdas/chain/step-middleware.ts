import { chain, type StepName } from '../api/chain/chain.ts';
import { Problem } from '../api/problem.ts';
import type { SettingName } from '../api/settings.ts';
import type { FunctionEnvironment } from '../data/function-environment.ts';
import { type Middleware, RefusedError } from './hooks/middleware.ts';
import type { NamedEndpoint } from './steps/step.ts';
import { steps } from './steps.ts';

/** Makes a step a middleware: it gives the step what is known, keeps what it adds, and throws what it refuses with. */
export const stepMiddleware = (name: StepName, endpoint: NamedEndpoint): Middleware => {
  // The order of `api/chain/chain.ts` has been checked: all that the step reads is there.
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
