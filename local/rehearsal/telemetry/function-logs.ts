import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogDestination } from 'serve-stack';

export type LogLine = LogDestination & { readonly message: string };

/**
 * The lines that functions write from now on, function by function. Their processes write straight to files, each line
 * before its request is answered.
 */
export const followFunctionLogs = (logsDirectory: string, destinations: ReadonlyMap<string, LogDestination>) => {
  const files = [...destinations].map(([functionName, destination]) => {
    const file = join(logsDirectory, `${functionName}.log`);
    return { file, destination, startBytes: existsSync(file) ? statSync(file).size : 0 };
  });
  return {
    /** Gives the lines of each file in the order in which they were written. */
    read: (): (readonly LogLine[])[] =>
      files
        .filter(({ file }) => existsSync(file))
        .map(({ file, destination, startBytes }) =>
          readFileSync(file)
            .subarray(startBytes)
            .toString()
            .split('\n')
            .filter((message) => message !== '')
            .map((message) => ({ ...destination, message })),
        ),
  };
};
