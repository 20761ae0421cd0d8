import { resourcePermissions } from './resource-permissions.ts';
import { accessStackNameOf, arnOf, iamArnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

type PolicyName = 'api' | 'functions' | 'rest';

/** The rights with which CloudFormation carries out a deployment, in as many policies as IAM's limit of their size takes. */
export const executionPolicies = (scope: Scope): Readonly<Record<PolicyName, readonly Statement[]>> => {
  const byPolicy = Object.groupBy(Object.entries(resourcePermissions(scope)), ([type]) => policyOf(type));
  const statements = (name: PolicyName) => distinct((byPolicy[name] ?? []).flatMap(([, each]) => each));
  return {
    api: [...statements('api'), readBootstrapVersion(scope), ...protectBoundary(scope)],
    functions: statements('functions'),
    rest: statements('rest'),
  };
};

const policyOf = (type: string): PolicyName => {
  if (/^AWS::(ApiGateway|IAM|WAFv2)::/.test(type)) return 'api';
  return /^AWS::(CodeDeploy|Lambda)::/.test(type) ? 'functions' : 'rest';
};

const distinct = (statements: readonly Statement[]): Statement[] => [
  ...new Map(statements.map((statement) => [JSON.stringify(statement), statement])).values(),
];

/** The template has a parameter that CloudFormation reads there. */
const readBootstrapVersion = (scope: Scope): Statement => ({
  actions: ['ssm:GetParameters'],
  resources: [arnOf(scope, 'ssm', 'parameter/cdk-bootstrap/*')],
});

/** Nothing allows it; it is denied for the case that somebody attaches a further policy to CloudFormation's role. */
const protectBoundary = (scope: Scope): Statement[] => [
  {
    effect: 'Deny',
    actions: ['iam:DeleteRolePermissionsBoundary'],
    resources: ['*'],
  },
  {
    effect: 'Deny',
    actions: ['iam:CreatePolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion', 'iam:SetDefaultPolicyVersion'],
    resources: [iamArnOf(scope, `policy/${accessStackNameOf(scope)}-*`)],
  },
];
