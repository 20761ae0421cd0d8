import { parseArgs } from 'node:util';
import { UserFacingError } from '../aws/errors/user-facing-error.ts';
import { isScenarioName, type ScenarioName, scenarios } from './scenarios.ts';

const usage = 'Known are --scenario <name>, --seconds <number> and --port <number>.';

/** Half an hour has to be shown, or some alarms have too little to look at; beyond ten minutes nobody waits. */
const secondsAllowed = { min: 6, max: 600 };

export type Options = { readonly name: ScenarioName; readonly seconds: number; readonly port: number };

/** Reads the arguments of `npm run dashboard`. Throws a sentence that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const { scenario, seconds, port } = parse(args);
  if (!isScenarioName(scenario))
    throw new UserFacingError(`--scenario ${scenario} is none; known are ${Object.keys(scenarios).join(', ')}.`);
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < secondsAllowed.min || Number(seconds) > secondsAllowed.max)
    throw new UserFacingError(`--seconds ${seconds} is none; write a whole number from 6 to 600.`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UserFacingError(`--port ${port} is no port; write a number from 0 (any free one) to 65535.`);
  return { name: scenario, seconds: Number(seconds), port: Number(port) };
};

const parse = (args: readonly string[]) => {
  try {
    const options = {
      scenario: { type: 'string', default: 'healthy' },
      seconds: { type: 'string', default: '36' },
      port: { type: 'string', default: '0' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};
