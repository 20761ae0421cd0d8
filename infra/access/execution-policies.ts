import { resourcePermissions } from './resource-permissions.ts';
import { accessStackNameOf, arnOf, iamArnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

/**
 * The rights with which CloudFormation carries out a deployment, in policies that IAM's size limit lets be: those of
 * services and those of roles.
 */
export const executionPolicies = (scope: Scope): Readonly<Record<'api' | 'rest', readonly Statement[]>> => {
  const byType = Object.entries(resourcePermissions(scope));
  const isOfApi = ([type]: (typeof byType)[number]) => /^AWS::(ApiGateway|IAM|Lambda)::/.test(type);
  const statements = (types: typeof byType) => distinct(types.flatMap(([, each]) => each));
  return {
    api: [...statements(byType.filter(isOfApi)), readBootstrapVersion(scope), ...protectBoundary(scope)],
    rest: statements(byType.filter((each) => !isOfApi(each))),
  };
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
