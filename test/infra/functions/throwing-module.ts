/** Stands on other lines than in the bundle, where all is on one. */
export const failIn = (where: string): never => {
  throw new RangeError(`It failed in ${where}.`);
};
