import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import type { Resource } from '../assembly.ts';
import { isRetained, type Plan } from './plan.ts';

/**
 * Returns a sentence, with the remedy, for each loss that the changes would cause. `givenUp` lists the logical ids of resources
 * that may be lost because the person who deploys has named them; retained resources cannot be given up in this way.
 */
export const losses = (plan: Plan, givenUp: readonly string[]): string[] =>
  plan.changes.flatMap((change) => {
    const loss = lossOfRetained(plan, change) ?? lossOfContent(plan, change) ?? lossOfStack(change);
    const isGivenUp = givenUp.includes(change.LogicalResourceId ?? '') && !isOfRetained(plan, change);
    return loss === undefined || isGivenUp ? [] : [loss];
  });

/** Returns whether a resource holds content that is lost with it, retained or not. */
export const holdsData = (resource: Resource): boolean => isRetained(resource) || resource.Type in contents;

/** What is lost with a resource of each type, if the resource is not retained. */
const contents: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': 'the address of its default endpoint, which partners call if the stage has no domain',
  'AWS::DynamoDB::GlobalTable': 'all its rows',
  'AWS::DynamoDB::Table': 'all its rows',
  'AWS::Events::Archive': 'the events that it has archived',
  'AWS::Events::EventBus':
    'its archive, its policy, the rules that other systems have on it, and the events that are sent until it exists again',
  'AWS::SQS::Queue': 'its messages, and the URL that other systems have in their configuration',
};

/** What is lost with a table that is not retained, by the name of its construct. */
const contentsOfTables: Readonly<Record<string, string>> = {
  Events: 'the feeds of all partners: every cursor expires, and partners have to read the current state again',
  IdempotencyRecords:
    'the idempotency keys of the last day: a repeated request that creates an API key creates a second one',
  KeyNotices: 'the record of which notices about expiring keys were sent: they are sent again',
  SimulatedHomes:
    'the simulated homes of a sandbox: if the stage stays one, they are installed again with their factory settings',
  TokenBuckets: 'the state of all rate limits: every client may send a full burst again',
  WebhookAttempts:
    'the attempts of the last days to send messages to webhooks: partners and operators see an empty list',
  Usage: 'the usage of all companies: the job can recount only requests that are still in the log',
};

/** Returns what a resource that is not retained holds; `undefined` if it holds nothing. */
const contentOf = (logicalId: string, { Type }: Resource): string | undefined =>
  (/::(Global)?Table$/.test(Type) ? contentsOfTables[logicalId.replace(/[0-9A-F]{8}$/, '')] : undefined) ??
  contents[Type];

const isOfRetained = ({ deployed, next }: Plan, { LogicalResourceId: logicalId = '' }: ResourceChange): boolean =>
  [deployed, next].some(({ Resources }) => Resources[logicalId] && isRetained(Resources[logicalId]));

const lossOfRetained = (plan: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  if (!isOfRetained(plan, change)) return undefined;
  if (change.Action === 'Remove')
    return `${logicalId} (${name}) would be removed from the stack. It contains data and is retained, but the service would no longer use it. Put it back into the template.`;
  if (!isReplacement(plan, change)) return undefined;
  return `${logicalId} (${name}) would be replaced by an empty one because of ${causesOf(change)}. Its data would remain in the old one. Undo that change. To change the keys of a table, add a new table and copy the data.`;
};

const lossOfContent = (plan: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  const resource = plan.deployed.Resources[logicalId];
  const content = resource && contentOf(logicalId, resource);
  if (content === undefined) return undefined;
  const unless = `or, if that may be lost, deploy with --give-up ${logicalId}`;
  if (change.Action === 'Remove')
    return `${logicalId} (${name}) would be deleted, together with ${content}. Put it back into the template under this logical id, ${unless}.`;
  if (!isReplacement(plan, change)) return undefined;
  return `${logicalId} (${name}) would be replaced by an empty one because of ${causesOf(change)}. You would lose ${content}. Undo that change, ${unless}.`;
};

/** The change set does not list the resources of a nested stack that leaves. */
const lossOfStack = ({ Action, ResourceType, LogicalResourceId: logicalId }: ResourceChange): string | undefined => {
  if (ResourceType !== 'AWS::CloudFormation::Stack' || Action !== 'Remove') return undefined;
  return `${logicalId} is a nested stack. Its resources would be deleted only after their successors are created, and API Gateway and other services refuse two resources with the same name. Put the nested stack back under this logical id.`;
};

/** Returns whether a change replaces a resource, or may replace it. */
const isReplacement = ({ changes }: Plan, change: ResourceChange): boolean => {
  const { Replacement, Details = [] } = change;
  if (Replacement === 'True') return true;
  return Replacement === 'Conditional' && !Details.every((detail) => isWithoutEffect(detail, changes));
};

type Detail = NonNullable<ResourceChange['Details']>[number];

/**
 * Returns whether a detail cannot cause a replacement. CloudFormation reports that a change of any property may change the ARN
 * of a resource, but an ARN changes only if the resource is replaced.
 */
const isWithoutEffect = (
  { Target, Evaluation, CausingEntity = '' }: Detail,
  changes: readonly ResourceChange[],
): boolean => {
  if (Target?.RequiresRecreation === 'Never') return true;
  const [entity, attribute] = CausingEntity.split('.');
  const isKept = changes.every(
    ({ LogicalResourceId, Action, Replacement = 'False' }) =>
      LogicalResourceId !== entity || (Action === 'Modify' && Replacement === 'False'),
  );
  return Evaluation === 'Dynamic' && attribute === 'Arn' && isKept;
};

/** Returns the properties that cause a replacement. */
export const causesOf = ({ Details = [] }: ResourceChange): string => {
  const causes = Details.filter(({ Target }) => Target?.RequiresRecreation !== 'Never').map(
    ({ Target }) => Target?.Name,
  );
  return [...new Set(causes)].join(', ') || 'its type';
};
