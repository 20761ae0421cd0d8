import { requireKnown } from '../errors.ts';
import type { Resolve } from './intrinsics.ts';
import { type NamedResource, resourcesOf, type Template } from './stack.ts';

const servedTypes = [
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::EventBusPolicy',
  'AWS::Events::Rule',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Key',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::IPSet',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
];

/** The types that a local run ignores, and why that changes no answer. */
const typesWithoutLocalMeaning: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'lets API Gateway write to CloudWatch; local logs are files',
  'AWS::ApiGateway::Deployment': 'freezes the API for a stage; a local run serves the template as it is',
  'AWS::CDK::Metadata': 'tells AWS which constructs are in use',
  'AWS::CloudWatch::Alarm': 'watches metrics; cloudwatch/ evaluates it where asked to',
  'AWS::CloudWatch::CompositeAlarm': 'watches alarms; cloudwatch/ evaluates it where asked to',
  'AWS::CloudWatch::Dashboard': 'shows metrics; cloudwatch/ evaluates it where asked to',
  'AWS::CloudWatch::InsightRule': 'ranks what stands in logs; cloudwatch/ evaluates it where asked to',
  'AWS::CodeDeploy::Application': 'gathers deployment groups',
  'AWS::CodeDeploy::DeploymentGroup': 'moves traffic between versions of a function; a local run has one of each',
  'AWS::Events::Archive': 'keeps events for a replay; a local run replays none',
  'AWS::Lambda::EventInvokeConfig': 'limits the retries of asynchronous calls; a local run retries none',
  'AWS::Logs::LogGroup': 'keeps logs for a while; local logs are files',
  'AWS::Logs::MetricFilter': 'makes metrics of logs; a local run has none',
  'AWS::Logs::QueryDefinition': 'keeps the text of a query for whoever looks into the logs',
  'AWS::SNS::Subscription': 'carries alarms; a local run has none',
  'AWS::SNS::Topic': 'carries alarms; a local run has none',
  'AWS::SNS::TopicPolicy': 'carries alarms; a local run has none',
};

/** `Conditions` and `Mappings` have no effect until a resource or an intrinsic function refers to them, which throws there. */
const knownSections = [
  ...['AWSTemplateFormatVersion', 'Conditions', 'Description', 'Mappings', 'Metadata', 'Outputs', 'Parameters'],
  ...['Resources', 'Rules'],
];

/** Policies determine what happens to a resource in a later update, which a local run does not have. */
const knownMembers = [
  ...['DeletionPolicy', 'DependsOn', 'Metadata', 'Properties', 'Type', 'UpdatePolicy', 'UpdateReplacePolicy'],
];

/** Throws for a template with a section, a resource type or a resource member that the local run would lack. */
export const requireKnownTemplate = (template: Template): void => {
  requireKnown('section of the template:', Object.keys(template), knownSections);
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    if (resource.Type in typesWithoutLocalMeaning) continue;
    requireKnown(`resource type of ${logicalId}:`, [resource.Type], servedTypes);
    requireKnown(`member of ${logicalId} (${resource.Type}):`, Object.keys(resource), knownMembers);
  }
};

/**
 * Reads the template's resources of a type, with intrinsic functions resolved. Throws an error that names an unknown property.
 */
export const readResources = <Properties>(
  template: Template,
  resolve: Resolve,
  type: string,
  knownProperties: readonly string[],
): (Properties & { readonly logicalId: string })[] =>
  resourcesOf(template, type).map((resource) => readResource(resource, resolve, knownProperties));

/** Reads one resource in the same way. */
export const readResource = <Properties>(
  { logicalId, Type, Properties = {} }: NamedResource,
  resolve: Resolve,
  knownProperties: readonly string[],
): Properties & { readonly logicalId: string } => {
  requireKnown(`property of ${logicalId} (${Type}):`, Object.keys(Properties), knownProperties);
  return { ...resolve<Properties>(Properties), logicalId };
};
