import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type LogLine = { readonly logGroup: string; readonly message: string };

/**
 * The lines that functions write from now on, function by function. Their processes write straight to files, each line
 * before its request is answered.
 */
export const followFunctionLogs = (logsDirectory: string, logGroups: ReadonlyMap<string, string>) => {
  const files = [...logGroups].map(([functionName, logGroup]) => {
    const file = join(logsDirectory, `${functionName}.log`);
    return { file, logGroup, startBytes: existsSync(file) ? statSync(file).size : 0 };
  });
  return {
    /** Gives the lines of each file in the order in which they were written. */
    read: (): (readonly LogLine[])[] =>
      files
        .filter(({ file }) => existsSync(file))
        .map(({ file, logGroup, startBytes }) =>
          readFileSync(file)
            .subarray(startBytes)
            .toString()
            .split('\n')
            .filter((message) => message !== '')
            .map((message) => ({ logGroup, message })),
        ),
  };
};
