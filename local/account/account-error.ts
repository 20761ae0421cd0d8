/** A refusal as an AWS service words it; each service puts it into its own protocol. */
export class AccountError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** CloudFormation's word for every request that it does not take. */
export const validationError = (message: string) => new AccountError('ValidationError', message);
