import { type IStackSynthesizer, LegacyStackSynthesizer, Stack } from 'aws-cdk-lib';
import { CfnManagedPolicy, CfnOIDCProvider, CfnRole } from 'aws-cdk-lib/aws-iam';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';
import { type StageConfig, stackNameOf } from '../../config/schema.ts';
import { jobsOfDeployment } from '../../lambdas/api/background-functions.ts';
import { bootstrapBoundaryNameOf, bootstrapBoundaryOf, bootstrapRolesOf } from './bootstrap.ts';
import {
  accessStackNameOf,
  arnOf,
  boundaryNameOf,
  boundaryStatements,
  iamArnOf,
  policyDocumentOf,
  type Scope,
  type Statement,
  stackArnsOf,
} from './boundary.ts';
import { executionPolicies, executionPolicyNameOf } from './rights.ts';

/**
 * The rights of a stage's deployments, and the limit of the rights that they can grant. An administrator deploys this stack
 * before the account is bootstrapped, so it has no assets and uses the administrator's own credentials.
 */
export class AccessStack extends Stack {
  readonly #scope: Scope;

  constructor(scope: Construct, stage: string, config: StageConfig) {
    const rights = scopeOf(stage, config);
    const { account, region, workflow } = config;
    super(scope, accessStackNameOf(rights), {
      env: { account, region },
      // The other synthesizers make the CDK CLI assume roles that bootstrapping creates. The cast is needed because the class
      // and the interface differ in which properties may be undefined.
      synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
      description: `The permissions of a deployment of ${stackNameOf(stage)}.`,
      terminationProtection: true,
      tags: { service: 'partner-api', stage },
    });
    this.#scope = rights;
    this.#createPolicy('Boundary', boundaryNameOf(rights), policyDocumentOf(boundaryStatements(rights)));
    this.#createPolicy('BootstrapBoundary', bootstrapBoundaryNameOf(rights), bootstrapBoundaryOf(rights));
    for (const [name, statements] of Object.entries(executionPolicies(rights)))
      this.#createPolicy(`Execution${name}`, executionPolicyNameOf(rights, name), policyDocumentOf(statements));
    if (workflow) this.#createWorkflowRoles(workflow);
  }

  #createPolicy(id: string, managedPolicyName: string, policyDocument: object): void {
    new CfnManagedPolicy(this, id, { managedPolicyName, policyDocument });
  }

  #createWorkflowRoles(workflow: Workflow): void {
    const provider = workflow.reuseIdentityProvider
      ? undefined
      : new CfnOIDCProvider(this, 'IdentityProvider', {
          url: `https://${identityProvider}`,
          clientIdList: ['sts.amazonaws.com'],
        });
    for (const [name, { run, statements }] of Object.entries(workflowRoles(this.#scope))) {
      const role = new CfnRole(this, `Workflow${name}`, {
        roleName: `${this.stackName}-${name}`,
        assumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: claimsOf(workflow, run).map((claims) => ({
            Effect: 'Allow',
            Action: 'sts:AssumeRoleWithWebIdentity',
            Principal: { Federated: iamArnOf(this.#scope, `oidc-provider/${identityProvider}`) },
            Condition: {
              StringEquals: Object.fromEntries(
                Object.entries(claims).map(([name, value]) => [`${identityProvider}:${name}`, value]),
              ),
            },
          })),
        },
        policies: [{ policyName: 'Deployment', policyDocument: policyDocumentOf(statements) }],
      });
      if (provider) role.addResourceDependency(provider);
    }
  }
}

/** Returns the scope to which the rights of the stage's deployments are limited. */
export const scopeOf = (stage: string, { account, region }: StageConfig): Scope => ({
  account,
  region,
  stage,
  partition: RegionInfo.get(region).partition ?? 'aws',
});

/** The issuer of the tokens that GitHub signs for workflow runs. */
const identityProvider = 'token.actions.githubusercontent.com';

type Workflow = NonNullable<StageConfig['workflow']>;

/**
 * Returns the claims that GitHub signs for a run of the repository, in both formats. Repositories that were created, renamed or
 * transferred since July 2026 have ids in the subject; others have only names. Another owner can take a released name but not
 * its id, so a subject without ids is trusted only together with the id claim.
 */
const claimsOf = ({ repository, ownerId, repositoryId }: Workflow, run: string): Readonly<Record<string, string>>[] => {
  const [owner, name] = repository.split('/');
  const aud = 'sts.amazonaws.com';
  return [
    { aud, sub: `repo:${owner}@${ownerId}/${name}@${repositoryId}:${run}` },
    { aud, sub: `repo:${repository}:${run}`, repository_id: String(repositoryId) },
  ];
};

/**
 * Returns the roles of the repository's workflow, each with the run that may assume it. The plan runs before any approval, so
 * its role only reads. The deployment runs in the stage's environment, after the environment's approval.
 */
const workflowRoles = (scope: Scope) => ({
  plan: { run: 'ref:refs/heads/main', statements: [readStack(scope)] },
  deploy: { run: `environment:${scope.stage}`, statements: [readStack(scope), ...deployStack(scope)] },
});

const readStack = (scope: Scope): Statement => ({
  actions: ['DescribeStackResource', 'DescribeStacks', 'GetTemplate'].map((action) => `cloudformation:${action}`),
  resources: stackArnsOf(scope),
});

/** The calls that `npm run deploy` makes itself, to jobs as well, and the bootstrap roles that the CDK CLI assumes. */
const deployStack = (scope: Scope): Statement[] => [
  {
    actions: ['DeleteChangeSet', 'DescribeChangeSet', 'SetStackPolicy'].map((action) => `cloudformation:${action}`),
    resources: stackArnsOf(scope),
  },
  {
    actions: ['sts:AssumeRole'],
    resources: bootstrapRolesOf(scope),
  },
  {
    actions: ['lambda:InvokeFunction'],
    resources: jobsOfDeployment.map((name) => arnOf(scope, 'lambda', `function:${stackNameOf(scope.stage)}-${name}`)),
  },
];
