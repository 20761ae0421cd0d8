import { Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

export type GradualDeploymentProps = {
  /** What requests go through, by the name of its function. */
  readonly aliases: Readonly<Record<string, Alias>>;
  /** Rings if a new version fails, and puts the old ones back. Must not depend on the aliases in any way. */
  readonly alarm: IAlarm;
  /** Moves all requests at once, alarm or no alarm: CodeDeploy starts nothing while its alarm rings. */
  readonly isAtOnce: boolean;
};

/**
 * Lets a new version of a function answer every tenth request for ten minutes, then all. If the alarm rings meanwhile, the
 * old version answers all again, and the deployment fails. A group takes one deployment at a time, so each function has
 * its own.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, { aliases, alarm, isAtOnce }: GradualDeploymentProps) {
    super(scope, id);
    const role = this.#createRole(Object.values(aliases));
    const application = new LambdaApplication(this, 'Application');
    for (const [name, alias] of Object.entries(aliases)) {
      new LambdaDeploymentGroup(this, name, {
        application,
        alias,
        role,
        alarms: [alarm],
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      if (isAtOnce) delete (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
    }
  }

  /** Less than the managed policy for it, which may move the alias of any function of the account. */
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
              // IAM knows an alias by its function. An alias waits for its group, and so must not be named by it.
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
