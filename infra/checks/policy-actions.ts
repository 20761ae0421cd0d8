import { type Check, listOf, resourcesOf, type Template } from './check.ts';
import { actions } from './iam-names.ts';
import { statementsIn } from './policy-documents.ts';

/** Finds actions in policies and permissions that no service has: they allow nothing, and they deny nothing. */
export const checkPolicyActions: Check = (template) =>
  [...actionsOfStatements(template), ...actionsOfPermissions(template)]
    .filter(({ action }) => !exists(action))
    .map(({ logicalId, action }) => ({
      logicalId,
      sentence: `allows or denies the action ${action}, which no service has; write one of the Service Authorization Reference.`,
    }));

type Named = { readonly logicalId: string; readonly action: string };

const actionsOfStatements = (template: Template): Named[] =>
  statementsIn(template).flatMap(({ logicalId, statement: { Action, NotAction } }) =>
    [...listOf(Action), ...listOf(NotAction)].map((action) => ({ logicalId, action: String(action) })),
  );

const actionsOfPermissions = (template: Template): Named[] =>
  resourcesOf(template, 'AWS::Lambda::Permission').map(({ logicalId, properties: { Action } }) => ({
    logicalId,
    action: Action,
  }));

const exists = (action: string): boolean => {
  const name = action.toLowerCase();
  if (!/[*?]/.test(name)) return actions.has(name);
  const pattern = new RegExp(`^${name.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return [...actions].some((each) => pattern.test(each));
};
