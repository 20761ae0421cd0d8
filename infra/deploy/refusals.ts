import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import type { Resource, Template } from '../assembly.ts';
import { causesOf, losses } from './losses.ts';
import type { Plan } from './plan.ts';

/**
 * Returns why changes are refused: they would lose data, or CloudFormation would fail in the middle of the update. A possible
 * replacement counts as a replacement. `givenUp` lists the logical ids of resources that may be lost.
 */
export const refusedChanges = (plan: Plan, givenUp: readonly string[] = []): string[] => [
  ...losses(plan, givenUp),
  ...plan.changes.flatMap((change) => [namedReplacement(plan, change), lossOfAddresses(plan, change)].filter(isString)),
  ...takenNames(plan),
  ...severalIndexes(plan),
  ...unfilledIpSets(plan),
];

const isString = (value: string | undefined): value is string => value !== undefined;

/** CloudFormation creates a replacement before it deletes the old resource, and the two cannot have the same name. */
const namedReplacement = ({ next }: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  if (change.Action !== 'Modify' || change.Replacement !== 'True') return undefined;
  const isNamed = Object.values(next.Resources[logicalId]?.Properties ?? {}).includes(name);
  if (!isNamed) return undefined;
  return `${logicalId} has the fixed name ${name} and would have to be replaced because of ${causesOf(change)}. CloudFormation would fail in the middle of the update. Change its name together with this property, or undo the change.`;
};

/**
 * The properties that identify a resource of a type, if all of them are set. A second resource with the same values is refused,
 * or overwrites the first and is deleted with it.
 */
export const identities: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::BasePathMapping': ['DomainName', 'BasePath'],
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::ApiGateway::GatewayResponse': ['RestApiId', 'ResponseType'],
  'AWS::ApiGateway::Method': ['RestApiId', 'ResourceId', 'HttpMethod'],
  'AWS::ApiGateway::Resource': ['RestApiId', 'ParentId', 'PathPart'],
  'AWS::ApiGateway::Stage': ['RestApiId', 'StageName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::CompositeAlarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::CloudWatch::InsightRule': ['RuleName'],
  'AWS::CodeDeploy::Application': ['ApplicationName'],
  'AWS::CodeDeploy::DeploymentGroup': ['ApplicationName', 'DeploymentGroupName'],
  'AWS::DynamoDB::GlobalTable': ['TableName'],
  'AWS::DynamoDB::Table': ['TableName'],
  'AWS::Events::Archive': ['ArchiveName'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::Events::EventBusPolicy': ['EventBusName', 'StatementId'],
  'AWS::Events::Rule': ['Name'],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::Lambda::Alias': ['FunctionName', 'Name'],
  'AWS::Lambda::EventInvokeConfig': ['FunctionName', 'Qualifier'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'FunctionName'],
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::Logs::QueryDefinition': ['Name'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::WAFv2::IPSet': ['Name', 'Scope'],
  'AWS::WAFv2::WebACL': ['Name', 'Scope'],
  'AWS::WAFv2::WebACLAssociation': ['ResourceArn'],
};

/** CloudFormation creates new resources before it deletes old ones, whichever stacks they are in. */
const takenNames = ({ changes, deployed, next }: Plan): string[] => {
  const named = (action: ResourceChange['Action'], { Resources }: Template) =>
    changes.flatMap(({ Action, LogicalResourceId: logicalId = '' }) => {
      const resource = Action === action ? Resources[logicalId] : undefined;
      const identity = resource && identityOf(resource);
      return resource && identity ? [{ logicalId, type: resource.Type, identity }] : [];
    });
  const removed = named('Remove', deployed);
  return named('Add', next).flatMap(({ logicalId, type, identity }) => {
    const old = removed.find((each) => each.type === type && each.identity === identity);
    if (!old) return [];
    const move = old.logicalId === logicalId ? 'from one stack to another' : `from ${old.logicalId} to ${logicalId}`;
    return [
      `${type} ${identity} would move ${move}. CloudFormation creates the new resource before it deletes the old one, so the name is still taken. Give the construct its old name and place back, or choose another name if it is a different resource.`,
    ];
  });
};

/** Returns what identifies a resource, as a text; `undefined` if CloudFormation generates its name. */
const identityOf = ({ Type, Properties = {} }: Resource): string | undefined => {
  const values = identities[Type]?.map((name) => Properties[name]) ?? [];
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ');
};

const ipSetsIn = ({ Resources }: Template) =>
  Object.values(Resources).filter(({ Type }) => Type === 'AWS::WAFv2::IPSet');

/** Operators write the addresses of IP sets. CloudFormation would overwrite them with the template's. */
const lossOfAddresses = ({ next }: Plan, change: ResourceChange): string | undefined => {
  const { Action, ResourceType, LogicalResourceId: logicalId } = change;
  if (ResourceType !== 'AWS::WAFv2::IPSet' || Action === 'Add') return undefined;
  // All IP sets are removed when the resource policy has the allowlist again.
  if (Action === 'Remove' && ipSetsIn(next).length === 0) return undefined;
  return `${logicalId} contains the addresses that operators have registered. A deployment would overwrite them, and AWS WAF would refuse these addresses at once. Undo the change of the IP sets.`;
};

/** The resource policy may open only if the IP sets of the web ACL existed before, so that they could be filled. */
const unfilledIpSets = ({ deployed, next }: Plan): string[] => {
  const isThere = Object.keys(deployed.Resources).length > 0;
  if (!isThere || !isAdmittedByWaf(next) || ipSetsIn(deployed).length > 0) return [];
  return [
    'The IP sets of AWS WAF are still empty, so AWS WAF would refuse every partner. Deploy with "allowlist": "prepare-waf" first, fill them with company sync, then deploy this: docs/allowlist.md.',
  ];
};

type Statement = { readonly Effect: string; readonly Condition?: object };

const isAdmittedByWaf = ({ Resources }: Template): boolean =>
  Object.values(Resources).some(({ Type, Properties }) => {
    if (Type !== 'AWS::ApiGateway::RestApi') return false;
    const { Statement = [] } = (Properties?.Policy ?? {}) as { readonly Statement?: readonly Statement[] };
    return Statement.some(({ Effect, Condition }) => Effect === 'Allow' && !Condition);
  });

type Index = { readonly IndexName: string };

/** DynamoDB creates or deletes one global index of a table at a time. */
const severalIndexes = ({ deployed, next }: Plan): string[] =>
  Object.entries(next.Resources).flatMap(([logicalId, { Properties }]) => {
    const old = deployed.Resources[logicalId];
    if (!old) return [];
    const [before, after] = [indexesOf(old.Properties), indexesOf(Properties)];
    const changed = [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name));
    if (changed.length <= 1) return [];
    return `${logicalId} would change several indexes (${[...new Set(changed)].join(', ')}), but DynamoDB changes only one index per update. Deploy them one after the other.`;
  });

const indexesOf = (properties: Resource['Properties']): Map<string, string> =>
  new Map(
    ((properties?.GlobalSecondaryIndexes ?? []) as Index[]).map((index) => [index.IndexName, JSON.stringify(index)]),
  );
