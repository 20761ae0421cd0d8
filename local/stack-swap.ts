import { inOneLine } from './in-one-line.ts';
import type { LocalService } from './service.ts';
import { watchSources } from './source-watch.ts';
import { hashOfInputs, inputs, root } from './synthesis.ts';

/**
 * Swaps the stack whenever its sources change, and says in one line what came of it. `servedHash` tells the state of the
 * sources that is served at first.
 */
export const swapOnChange = (
  { swapStack }: Pick<LocalService, 'swapStack'>,
  servedHash: string,
  print: (line: string) => void,
): void => {
  let triedHash = servedHash;
  const react = async (changed: readonly string[]) => {
    try {
      const hash = hashOfInputs();
      // A file that was written again as it was.
      if (hash === triedHash) return;
      triedHash = hash;
      const startedMs = performance.now();
      await swapStack();
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      print(`Swapped after ${seconds} s: ${named(changed)} served as of now.`);
    } catch (error) {
      print(`Not swapped, what was served before still is: ${inOneLine(error)}`);
    }
  };
  watchSources({
    ...{ root, ...inputs, react },
    fail: (error) => print(`Sources are watched no longer: ${inOneLine(error)}`),
  });
};

const named = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;
