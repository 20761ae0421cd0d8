import type { Check } from './check.ts';
import { statementsIn } from './policy-documents.ts';

const effects: readonly unknown[] = ['Allow', 'Deny'];

const elements = [
  'Action',
  'Condition',
  'Effect',
  'NotAction',
  'NotPrincipal',
  'NotResource',
  'Principal',
  'Resource',
  'Sid',
];

/** Finds statements without a known effect or an action, or with an element that IAM does not know. */
export const checkPolicyStatements: Check = (template) =>
  statementsIn(template).flatMap(({ logicalId, statement }) => {
    const sentences = [
      ...(effects.includes(statement.Effect) ? [] : [`the Effect "${statement.Effect}"; write Allow or Deny.`]),
      ...('Action' in statement || 'NotAction' in statement ? [] : ['no Action; add one.']),
      ...Object.keys(statement)
        .filter((name) => !elements.includes(name))
        .map((name) => `the unknown element ${name}; write one of ${elements.join(', ')}.`),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence: `has a policy with ${sentence}` }));
  });
