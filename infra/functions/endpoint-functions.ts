import { Duration, NestedStack, Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type CfnAlias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Bundles } from './bundle.ts';
import { type QueueByName, queueAccess, ServiceFunction, type SharedProps } from './service-function.ts';

export type FunctionByOperation = Readonly<Record<OperationId, IFunction>>;

/**
 * The alias that routes requests to a version of the function. Each change of code or configuration publishes another version.
 */
export type AliasByOperation = Readonly<Record<OperationId, Alias>>;

export type EndpointFunctionsProps = SharedProps & { readonly bundles: Bundles; readonly queues: QueueByName };

const defaultTimeoutSeconds = 5;

/** The function of each endpoint, with the permissions and variables that its row and its chain require. */
export class EndpointFunctions extends Construct {
  readonly functions: FunctionByOperation;
  readonly aliases: AliasByOperation;

  constructor(scope: Construct, id: string, { bundles, queues, ...shared }: EndpointFunctionsProps) {
    super(scope, id);
    const handlers = (Object.entries(endpoints) as [OperationId, Endpoint][]).map(([operationId, endpoint]) => {
      const { queueActions = {}, timeoutSeconds = defaultTimeoutSeconds } = endpoint;
      const handler = new ServiceFunction(this, operationId, {
        ...shared,
        summary: endpoint.summary,
        requirements: requirementsOf(endpoint),
        bundle: bundles[operationId],
        timeout: Duration.seconds(timeoutSeconds),
        ...queueAccess(queues, queueActions),
      });
      return [operationId, handler] as const;
    });
    const functions = handlers.map(([operationId, handler]) => [operationId, handler.function]);
    const aliases = handlers.map(([operationId, handler]) => [operationId, liveAlias(handler)]);
    this.functions = Object.fromEntries(functions);
    this.aliases = Object.fromEntries(aliases);
  }
}

/**
 * CloudFormation deletes an unused version at the end of a deployment, when nothing can be rolled back to it. A retained
 * version would stay forever, and a roll-back of code publishes its own.
 */
const liveAlias = (handler: ServiceFunction): Alias =>
  new Alias(handler, 'Live', { aliasName: 'live', version: handler.function.currentVersion as IVersion });

export type GradualDeploymentProps = {
  /** The aliases that requests go through, by the name of their function. */
  readonly aliases: Readonly<Record<string, Alias>>;
  /**
   * Rolls back to the old version when it goes into ALARM because the new one fails. Must not depend on the aliases in any way.
   */
  readonly alarm: IAlarm;
  /** Moves all requests at once, without CodeDeploy, which starts no deployment while its alarm is in ALARM. */
  readonly isAtOnce: boolean;
};

/**
 * Sends every tenth request to the new version of a function for ten minutes, then all. If the alarm goes into ALARM meanwhile,
 * the old version answers all requests again, and the deployment fails. A deployment group runs one deployment at a time, so
 * each function has its own. The groups are a nested stack, because there is one for each endpoint. They have fixed names, so
 * that an alias can name its group without an output of that stack.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, { aliases, alarm, isAtOnce }: GradualDeploymentProps) {
    super(scope, id);
    const role = this.#createRole(Object.values(aliases));
    const application = new LambdaApplication(this, 'Application');
    const groups = new NestedStack(this, 'Groups', {
      description: 'How CodeDeploy shifts the aliases of the partner API of the stage.',
    });
    for (const [name, alias] of Object.entries(aliases)) {
      const group = new LambdaDeploymentGroup(groups, name, {
        deploymentGroupName: name,
        application,
        alias,
        role,
        alarms: [alarm],
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      alias.node.addDependency(group);
      const { cfnOptions } = alias.node.defaultChild as CfnAlias;
      const { applicationName } = application;
      if (isAtOnce) delete cfnOptions.updatePolicy;
      else cfnOptions.updatePolicy = { codeDeployLambdaAliasUpdate: { applicationName, deploymentGroupName: name } };
    }
  }

  /** Grants less than AWS's managed policy, which may move the alias of any function in the account. */
  #createRole(aliases: readonly Alias[]): IRole {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
      inlinePolicies: {
        MoveAliases: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['lambda:UpdateAlias'],
              // IAM identifies an alias by its function. An alias depends on its group, so the group's role must not refer to
              // the alias.
              resources: aliases.map(({ lambda }) => lambda.functionArn),
            }),
            new PolicyStatement({
              actions: ['cloudwatch:DescribeAlarms', 'lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              resources: ['*'],
            }),
          ],
        }),
      },
    });
    // The construct would add the managed policy.
    return role.withoutPolicyUpdates();
  }
}
