import { tableOf } from '../../partner/site/markdown.ts';
import { assumptions, callProcessorMilliseconds, megabytesOfCore } from './capacity.ts';
import type { Template } from './example-template.ts';
import type { Passages } from './marked-passages.ts';
import { dollars, prices } from './prices.ts';

/** The passages about the memory of functions, calculated from the processor time of a call. */
export const memoryPassages = (template: Template): Passages => ({
  'memory-sizes': () => memoryTable(functionMegabytes(template)),
  'function-duration': () => `${assumptions.functionMilliseconds} ms`,
});

/** The duration of a remembered call of the typical operation, by the memory of its function. */
export const callMilliseconds = (megabytes: number): number =>
  callProcessorMilliseconds / (megabytes / megabytesOfCore) + assumptions.storeMilliseconds;

/** Returns the duration and the price of a remembered call by the memory of its function. */
const memoryTable = (chosen: number): string =>
  tableOf(
    ['MB', 'share of a core', 'computing', 'with the store', 'a million'],
    [256, 384, 512, 768, 1024, megabytesOfCore].map((megabytes) => {
      const share = megabytes / megabytesOfCore;
      const durationMs = callMilliseconds(megabytes);
      const price = 1e6 * (durationMs / 1000) * (megabytes / 1024) * prices.gigabyteSecond.each;
      return [
        megabytes === chosen ? `**${megabytes}**` : `${megabytes}`,
        share.toFixed(2),
        `${(durationMs - assumptions.storeMilliseconds).toFixed(1)} ms`,
        `${durationMs.toFixed(1)} ms`,
        dollars(price),
      ];
    }),
  );

/**
 * Returns the memory of the functions in MB. Throws if it differs between them or one is not arm64, since there is one price
 * for all.
 */
export const functionMegabytes = ({ Resources }: Template): number => {
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const [megabytes, ...others] = new Set(functions.map(({ Properties }) => Properties?.MemorySize));
  const isArm = functions.every(({ Properties }) => Properties?.Architectures?.join() === 'arm64');
  if (megabytes === undefined || others.length > 0 || !isArm)
    throw new Error(
      'The price of a request assumes that all functions are arm64 and have the same memory. Calculate it by operation in docs/generate/cost.ts.',
    );
  return megabytes;
};
