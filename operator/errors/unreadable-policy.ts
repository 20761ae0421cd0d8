import { OperatorError } from './operator-error.ts';

/** The error that a deployed resource policy is not one that the stack writes. */
export const unreadablePolicy = (what: string) =>
  new OperatorError(
    'error',
    `The deployed resource policy cannot be read: ${what}. If it was changed by hand, deploy the stage to have the policy of its configuration again.`,
  );
