import { UserFacingError } from './user-facing-error.ts';

/**
 * Refuses what the local run would otherwise skip in silence: `requireKnown('property of the stage:', ['Foo'], [])` →
 * “The local run does not know the property of the stage: Foo.”
 */
export const requireKnown = (what: string, found: readonly string[], known: readonly string[]): void => {
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserFacingError(`The local run does not know the ${what} ${unknown}.`);
};
