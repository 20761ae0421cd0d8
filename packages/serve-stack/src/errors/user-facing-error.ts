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
