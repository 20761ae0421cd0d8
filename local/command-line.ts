import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UserFacingError } from 'serve-stack';

/** Reads the options of a program. Throws a sentence with those that there are, if one is unknown. */
export const parseOptions = <const Declared extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Declared,
  usage: string,
) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message.split('. ')[0]}. ${usage}`);
  }
};

export const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UserFacingError(`--port ${text} is no port; write a number from 0 (any free one) to 65535.`);
};
