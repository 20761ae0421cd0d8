import { type Check, listOf } from './check.ts';
import { actions } from './iam-names.ts';
import { statementsIn } from './policy-documents.ts';

/** Finds actions in policies that no service has: they allow nothing, and they deny nothing. */
export const checkPolicyActions: Check = (template) =>
  statementsIn(template).flatMap(({ logicalId, statement: { Action, NotAction } }) =>
    [...listOf(Action), ...listOf(NotAction)]
      .filter((action) => !exists(String(action)))
      .map((action) => ({
        logicalId,
        sentence: `has a policy with the action ${action}, which no service has; write one of the Service Authorization Reference.`,
      })),
  );

const exists = (action: string): boolean => {
  const name = action.toLowerCase();
  if (!/[*?]/.test(name)) return actions.has(name);
  const pattern = new RegExp(`^${name.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return [...actions].some((each) => pattern.test(each));
};
