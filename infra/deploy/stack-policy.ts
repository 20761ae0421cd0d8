import { isRetained } from './change-refusals.ts';
import type { Template } from './template.ts';

/**
 * The policy that the stack itself has: whoever deploys by whatever program, CloudFormation neither replaces nor deletes
 * what holds data. To do so on purpose, update the stack with a policy that allows it for that update only.
 */
export const stackPolicyOf = ({ Resources }: Template): string => {
  const retained = Object.keys(Resources)
    .filter((logicalId) => Resources[logicalId] && isRetained(Resources[logicalId]))
    .sort()
    .map((logicalId) => `LogicalResourceId/${logicalId}`);
  const everything = { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' };
  const protection = {
    Effect: 'Deny',
    Principal: '*',
    Action: ['Update:Replace', 'Update:Delete'],
    Resource: retained,
  };
  return JSON.stringify({ Statement: retained.length > 0 ? [everything, protection] : [everything] });
};
