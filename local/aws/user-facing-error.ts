/** An error whose message says what happened and what to do about it: shown as that sentence, without a stack. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError';
}
