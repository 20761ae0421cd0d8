import { stackNameOf } from '../../config/stack-name.ts';
import { arnOf, iamArnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

/** Where GitHub signs what it says of a run of a workflow. */
export const identityProvider = 'token.actions.githubusercontent.com';

/**
 * The roles of the repository's workflow, by the subject that GitHub names. The plan is made before anybody has approved
 * anything, so it reads and does nothing else. The deployment runs in the environment of the stage, behind its approval.
 */
export const workflowRoles = (scope: Scope, repository: string) => ({
  plan: { subject: `repo:${repository}:ref:refs/heads/main`, statements: [readStack(scope)] },
  deploy: {
    subject: `repo:${repository}:environment:${scope.stage}`,
    statements: [readStack(scope), ...deployStack(scope)],
  },
});

const stackArnOf = (scope: Scope): string => arnOf(scope, 'cloudformation', `stack/${stackNameOf(scope.stage)}/*`);

const readStack = (scope: Scope): Statement => ({
  actions: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
  resources: [stackArnOf(scope)],
});

/** What `npm run deploy` asks by itself, and the roles of `cdk bootstrap` that the CDK's program takes. */
const deployStack = (scope: Scope): Statement[] => [
  {
    actions: ['DeleteChangeSet', 'DescribeChangeSet', 'SetStackPolicy'].map((action) => `cloudformation:${action}`),
    resources: [stackArnOf(scope)],
  },
  {
    actions: ['sts:AssumeRole'],
    resources: ['deploy', 'file-publishing', 'lookup'].map((role) =>
      iamArnOf(scope, `role/cdk-hnb659fds-${role}-role-${scope.account}-${scope.region}`),
    ),
  },
];
