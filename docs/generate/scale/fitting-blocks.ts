import { resourcePolicy } from '../../../infra/api/admission.ts';

/** Distinct blocks that are as long as one can be, and cannot be merged. */
export const longestIpv4 = (index: number): string =>
  `198.151.${100 + Math.floor(index / 100)}.${100 + (index % 100)}/32`;
export const longestIpv6 = (index: number): string =>
  `2001:1db8:1111:1111:1111:1111:1111:${(4096 + index).toString(16)}/128`;

/** The largest number of blocks for which the stack still makes a resource policy. */
export const fittingBlocks = (blockOf: (index: number) => string): number => {
  let [fits, tooMany] = [0, 10_000];
  while (tooMany - fits > 1) {
    const count = Math.floor((fits + tooMany) / 2);
    if (isAccepted(Array.from({ length: count }, (_, index) => blockOf(index)))) fits = count;
    else tooMany = count;
  }
  return fits;
};

const isAccepted = (blocks: readonly string[]): boolean => {
  try {
    resourcePolicy(blocks);
    return true;
  } catch {
    return false;
  }
};
