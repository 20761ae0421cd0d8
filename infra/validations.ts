import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { stackNameOf } from '../config/schema.ts';
import { TemplateChecks } from './checks/template-checks.ts';
import { PartnerApiStack, type PartnerApiStackProps } from './stack.ts';

/** Adds the stack of a stage. Its synth fails on each finding of a check. */
export const addCheckedStack = (app: App, stage: string, props: Omit<PartnerApiStackProps, 'tags'>): void =>
  addValidations(new PartnerApiStack(app, stackNameOf(stage), { ...props, tags: { service: 'partner-api', stage } }));

/** Makes a synth fail on the findings of cdk-nag, and on faults that neither cdk-nag nor CloudFormation's schemas cover. */
export const addValidations = (stack: Stack): void => {
  addNagChecks(stack);
  Validations.of(stack.node.root).addPlugins(new TemplateChecks());
};

/** Findings that are intended, with the reason. All other findings of cdk-nag fail the synth. */
export const answers: Readonly<Record<string, string>> = {
  APIG2:
    'The functions check requests themselves: the gateway would answer a missing x-api-key with 400 where 401 is right.',
  APIG3:
    'The resource policy refuses every unregistered address before it costs a call; a web ACL is the way out when the allowlist outgrows that policy.',
  APIG4:
    'Each function authenticates by API key in the first stages of its chain: an authorizer would be one more call, could answer from a cache after a key was deleted, and hides the cause of a refusal.',
  APIG6:
    'Execution logs contain request headers, and with them API keys. Access log and functions write one line per request without them.',
  COG4: 'Partners are companies with API keys, not users of a pool.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'The managed policy that API Gateway documents for its account-wide logging role; AWS keeps it in step with the service.',
};

/** Findings that are intended for one part of the stack only, with the reason. */
export const answersOfParts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // CodeDeploy's role.
  Deployments: {
    'IAM5[Resource::*]':
      'What CodeDeploy reads of aliases and alarms is no secret, and AWS does not document which resources it asks for: its managed policy names none. What it changes is named.',
  },
  // The queues and functions that connect the maker's systems.
  Integrations: {
    'IAM5[Resource::*]':
      'dynamodb:ListStreams, which Lambda asks of the role of a function that a stream calls, has no resource that a policy could name.',
    SQS3: 'These queues keep what a rule could not deliver and what a stream’s function could not handle: they are what the rule asks for.',
  },
  // The scheduled jobs.
  Jobs: {
    'IAM5[Resource::*]':
      'logs:GetQueryResults, by which a job reads the answer to its query of the log, has no resource that a policy could name; the group that it may query is named.',
  },
  // The operators' roles.
  Operators: {
    'IAM5[Resource::*]':
      'lambda:GetAccountSettings, which the doctor reads the concurrency quota with, and logs:GetQueryResults have no resource that a policy could name.',
    'IAM5[Resource::arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/<AWS::StackName>/*]':
      'It is this one stack: CloudFormation appends to its name an id, which calls by the name do not know.',
    'IAM5[Resource::arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/<AWS::StackName>-restored-*]':
      'Restored tables are named after the second that they were restored to; no table of the stack is named so.',
  },
};

/**
 * Suppresses the CDK's deprecation warnings while cdk-nag runs: cdk-nag reads each property of a bus policy, including a
 * deprecated one that no stack here has. Warnings about this stack itself appear before.
 */
class QuietNagChecks extends AwsSolutionsChecks {
  override validateScope(scope: IConstruct): ReturnType<AwsSolutionsChecks['validateScope']> {
    const { JSII_DEPRECATED } = process.env;
    process.env.JSII_DEPRECATED = 'quiet';
    try {
      return super.validateScope(scope);
    } finally {
      if (JSII_DEPRECATED === undefined) delete process.env.JSII_DEPRECATED;
      else process.env.JSII_DEPRECATED = JSII_DEPRECATED;
    }
  }
}

/** Makes each finding of cdk-nag's AWS Solutions rules fail the synth, except those answered above. */
const addNagChecks = (stack: Stack): void => {
  Validations.of(stack.node.root).addPlugins(new QuietNagChecks());
  acknowledge(stack, answers);
  for (const [part, findings] of Object.entries(answersOfParts)) {
    // Not each stage has operators.
    const construct = part === 'Operators' ? stack.node.tryFindChild(part) : stack.node.findChild(part);
    if (construct) acknowledge(construct, findings);
  }
};

const acknowledge = (construct: IConstruct, findings: Readonly<Record<string, string>>) =>
  Validations.of(construct).acknowledge(
    ...Object.entries(findings).map(([finding, reason]) => ({ id: `AwsSolutions-${finding}`, reason })),
  );
