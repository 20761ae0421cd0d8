/** Has other line numbers than in the bundle, which has a single line. */
export const failIn = (where: string): never => {
  throw new RangeError(`It failed in ${where}.`);
};
