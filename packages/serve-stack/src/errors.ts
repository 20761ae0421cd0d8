/** Tells by its message what happened and what to do about it: shown as that sentence, without a stack. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError';
  /** The option of `serveStack` that another value of would help, where there is one. */
  readonly option: 'directory' | 'dynamoDbEndpoint' | 'port' | undefined;

  constructor(message: string, option?: UserFacingError['option']) {
    super(message);
    this.option = option;
  }
}

/**
 * Refuses what the local run would otherwise skip in silence: `requireKnown('property of the stage:', ['Foo'], [])` →
 * “The local run does not know the property of the stage: Foo.”
 */
export const requireKnown = (what: string, found: readonly string[], known: readonly string[]): void => {
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserFacingError(`The local run does not know the ${what} ${unknown}.`);
};
