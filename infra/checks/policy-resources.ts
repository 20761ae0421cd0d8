import { type Check, listOf } from './check.ts';
import { wildcardActions } from './iam-names.ts';
import { statementsIn } from './policy-documents.ts';
import { textOf } from './text.ts';

/** Finds actions that name no resource and are allowed for one: IAM never matches such a statement, so they stay refused. */
export const checkPolicyResources: Check = (template) =>
  statementsIn(template).flatMap(({ logicalId, statement: { Effect, Action, Resource } }) => {
    if (Effect !== 'Allow' || Resource === undefined || listOf(Resource).includes('*')) return [];
    return (listOf(Action) as readonly string[])
      .filter((action) => wildcardActions.has(action.toLowerCase()))
      .map((action) => ({
        logicalId,
        sentence: `allows ${action} for ${textOf(listOf(Resource)[0])}, and the action names no resource, so that this allows nothing; allow it for *.`,
      }));
  });
