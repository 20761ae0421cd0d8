import { UserFacingError } from 'serve-stack';
import { parseOptions, portOf } from '../command-line.ts';
import { isScenarioName, type ScenarioName, scenarios } from './scenarios.ts';

const usage = 'Known are --scenario <name>, --seconds <number> and --port <number>.';

/** Half an hour has to be shown, or some alarms have too little to look at; beyond ten minutes nobody waits. */
const secondsAllowed = { min: 6, max: 600 };

const options = {
  scenario: { type: 'string', default: 'healthy' },
  seconds: { type: 'string', default: '36' },
  port: { type: 'string', default: '0' },
} as const;

export type Options = { readonly name: ScenarioName; readonly seconds: number; readonly port: number };

/** Reads the arguments of `npm run dashboard`. Throws a sentence that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const { scenario, seconds, port } = parseOptions(args, options, usage);
  if (!isScenarioName(scenario))
    throw new UserFacingError(`--scenario ${scenario} is none; known are ${Object.keys(scenarios).join(', ')}.`);
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < secondsAllowed.min || Number(seconds) > secondsAllowed.max)
    throw new UserFacingError(
      `--seconds ${seconds} is none; write a whole number from ${secondsAllowed.min} to ${secondsAllowed.max}.`,
    );
  return { name: scenario, seconds: Number(seconds), port: portOf(port) };
};
