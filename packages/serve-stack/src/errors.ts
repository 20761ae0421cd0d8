/** An error whose message says what happened and what to do. It is shown without a stack trace. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError';
  /** The option of `serveStack` of which another value would help, if there is one. */
  readonly option: 'directory' | 'dynamoDbEndpoint' | 'port' | undefined;

  constructor(message: string, option?: UserFacingError['option']) {
    super(message);
    this.option = option;
  }
}

/**
 * Throws for what the local run would otherwise silently skip: `requireKnown('property of the stage:', ['Foo'], [])` → “The
 * local run does not know the property of the stage: Foo.”
 */
export const requireKnown = (what: string, found: readonly string[], known: readonly string[]): void => {
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserFacingError(`The local run does not know the ${what} ${unknown}.`);
};
