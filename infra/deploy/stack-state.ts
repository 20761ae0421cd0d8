import type { Stack } from '@aws-sdk/client-cloudformation';

/** Says why a stack cannot be deployed to in the state that it is in, and the way out; `undefined` if it can. */
export const stateRefusal = (stack: Stack | undefined): string | undefined => {
  const { StackName = '', StackStatus: status = '', StackStatusReason: reason } = stack ?? {};
  const told = reason ? ` (${reason})` : '';
  if (/^(CREATE_FAILED|ROLLBACK_COMPLETE|ROLLBACK_FAILED)$/.test(status))
    return `The first deployment of ${StackName} failed: the stack is ${status}${told}. Read what failed (aws cloudformation describe-stack-events --stack-name ${StackName}), then clean up as docs/first-deploy.md says under "If the first deployment fails", and deploy again.`;
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return `An update of ${StackName} could not be undone: the stack is ${status}${told}. Mend what its events name, then run: aws cloudformation continue-update-rollback --stack-name ${StackName}`;
  if (/^(DELETE_FAILED|DELETE_COMPLETE)$/.test(status))
    return `Somebody has deleted ${StackName}: the stack is ${status}${told}. Finish that first: aws cloudformation delete-stack --stack-name ${StackName}`;
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS')
    return `Another deployment of ${StackName} is on its way: the stack is ${status}. Wait until it has ended.`;
  return undefined;
};

/** Whether a stack has ever been deployed: its first change set alone makes one, too. */
export const stackIsThere = (stack: Stack | undefined): boolean =>
  stack !== undefined && stack.StackStatus !== 'REVIEW_IN_PROGRESS';
