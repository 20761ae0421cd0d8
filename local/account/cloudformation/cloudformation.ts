import { randomUUID } from 'node:crypto';
import { arnOf } from '../../aws/template/environment.ts';
import { AccountError, validationError } from '../account-error.ts';
import type { QueryValue, XmlValue } from '../query-protocol.ts';
import { createChangeSet } from './change-sets.ts';
import { destroy, execute, record, type Surroundings } from './execution.ts';
import { resolveIn } from './resolve.ts';
import type { StackRecord } from './stack-record.ts';

type Request = Readonly<Record<string, QueryValue>>;
type Action = (request: Request) => XmlValue;

type Options = Surroundings & {
  readonly stacks: Map<string, StackRecord>;
  /** The text of an object by the URL under which it was uploaded. */
  readonly readTemplate: (url: string) => string | undefined;
  readonly readParameter: (name: string) => string | undefined;
};

/** Answers the requests that deploying a stack takes. Everything is carried out at once, before the answer. */
export const createCloudFormation = (options: Options) => {
  const { environment, stacks } = options;

  /** Finds it by its name or its id. */
  const stackOf = ({ StackName }: Request): StackRecord => {
    const found = [...stacks.values()].find(({ name, id }) => StackName === id || StackName === name);
    if (!found) throw validationError(`Stack with id ${StackName} does not exist`);
    return found;
  };
  const newStack = (name: string): StackRecord => {
    const id = arnOf(environment, 'cloudformation', `stack/${name}/${randomUUID()}`);
    const stack: StackRecord = {
      ...{ name, id, createdAt: new Date().toISOString(), status: '', templateBody: '{}', template: { Resources: {} } },
      ...{ parameters: {}, resolvedParameters: {}, tags: [], resources: new Map(), terminationProtection: false },
      ...{ changeSets: new Map(), events: [] },
    };
    record(stack, 'REVIEW_IN_PROGRESS', 'User Initiated');
    return stack;
  };
  const changeSetOf = (request: Request) => {
    const stack = stackOf(request);
    const name = String(request.ChangeSetName);
    const changeSet = [...stack.changeSets.values()].find((each) => each.name === name || each.id === name);
    if (!changeSet) throw new AccountError('ChangeSetNotFound', `ChangeSet [${name}] does not exist`);
    return { stack, changeSet };
  };
  const templateBodyOf = ({ TemplateBody, TemplateURL }: Request): string => {
    const body = TemplateURL === undefined ? String(TemplateBody) : options.readTemplate(String(TemplateURL));
    if (body === undefined) throw validationError(`S3 error: The specified key does not exist: ${TemplateURL}`);
    return body;
  };

  const actions: Readonly<Record<string, Action>> = {
    DescribeStacks: (request) => ({
      Stacks: (request.StackName === undefined ? [...stacks.values()] : [stackOf(request)]).map(description),
    }),
    CreateChangeSet: (request) => {
      const name = String(request.StackName);
      const stack = stacks.get(name) ?? newStack(name);
      if (request.ChangeSetType === 'CREATE' && stack.status !== 'REVIEW_IN_PROGRESS')
        throw validationError(`Stack [${name}] already exists and cannot be created again with the changeSet`);
      const changeSet = createChangeSet(stack, {
        name: String(request.ChangeSetName),
        templateBody: templateBodyOf(request),
        parameters: listOf(request.Parameters),
        tags: listOf(request.Tags),
        capabilities: listOf(request.Capabilities),
        readParameter: options.readParameter,
      });
      stack.roleArn = request.RoleARN === undefined ? undefined : String(request.RoleARN);
      stacks.set(name, stack);
      stack.changeSets.set(changeSet.name, changeSet);
      return { Id: changeSet.id, StackId: stack.id };
    },
    DescribeChangeSet: (request) => {
      const { stack, changeSet } = changeSetOf(request);
      const isEmpty = changeSet.changes.length === 0;
      return {
        ...{ ChangeSetName: changeSet.name, ChangeSetId: changeSet.id, StackId: stack.id, StackName: stack.name },
        CreationTime: changeSet.createdAt,
        Status: isEmpty ? 'FAILED' : 'CREATE_COMPLETE',
        ExecutionStatus: isEmpty ? 'UNAVAILABLE' : 'AVAILABLE',
        StatusReason: isEmpty
          ? "The submitted information didn't contain changes. Submit different information to create a change set."
          : undefined,
        Changes: changeSet.changes.map((ResourceChange) => ({ Type: 'Resource', ResourceChange })),
      };
    },
    DeleteChangeSet: (request) => {
      const stack = stackOf(request);
      for (const { name, id } of [...stack.changeSets.values()])
        if ([name, id].includes(String(request.ChangeSetName))) stack.changeSets.delete(name);
      return {};
    },
    ExecuteChangeSet: (request) => {
      const { stack, changeSet } = changeSetOf(request);
      stack.changeSets.clear();
      execute(stack, changeSet, options);
      return {};
    },
    DescribeStackEvents: (request) => ({ StackEvents: stackOf(request).events.toReversed() }),
    GetTemplate: (request) => ({ TemplateBody: stackOf(request).templateBody }),
    DescribeStackResources: (request) => ({ StackResources: resourcesOf(stackOf(request)) }),
    ListStackResources: (request) => ({ StackResourceSummaries: resourcesOf(stackOf(request)) }),
    UpdateTerminationProtection: (request) => {
      stackOf(request).terminationProtection = request.EnableTerminationProtection === 'true';
      return {};
    },
    SetStackPolicy: (request) => {
      stackOf(request).policy = String(request.StackPolicyBody);
      return {};
    },
    GetStackPolicy: (request) => ({ StackPolicyBody: stackOf(request).policy }),
    DeleteStack: (request) => {
      const stack = stackOf(request);
      if (stack.terminationProtection)
        throw validationError(`Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`);
      destroy(stack, options);
      if (stack.status === 'DELETE_COMPLETE') stacks.delete(stack.name);
      return {};
    },
  };

  const description = (stack: StackRecord): XmlValue => {
    const { name, id, template, parameters, resolvedParameters, resources, tags } = stack;
    const resolve = resolveIn({ stackName: name, stackId: id, environment, parameters: resolvedParameters, resources });
    return {
      ...{ StackName: name, StackId: id, CreationTime: stack.createdAt },
      ...{ StackStatus: stack.status, StackStatusReason: stack.statusReason },
      EnableTerminationProtection: stack.terminationProtection,
      Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      })),
      Tags: tags,
      Outputs: Object.entries(template.Outputs ?? {}).map(([OutputKey, { Value }]) => ({
        OutputKey,
        OutputValue: String(resolve(Value)),
      })),
    };
  };

  return (name: string, request: Request): XmlValue => {
    const action = actions[name];
    if (!action) throw new AccountError('InvalidAction', `CloudFormation does not know ${name} here.`);
    return action(request);
  };
};

const resourcesOf = ({ name, id, resources }: StackRecord): XmlValue =>
  [...resources.values()].map(({ logicalId, physicalId, type }) => ({
    ...{ StackName: name, StackId: id, LogicalResourceId: logicalId, PhysicalResourceId: physicalId },
    ...{ ResourceType: type, ResourceStatus: 'CREATE_COMPLETE', Timestamp: new Date().toISOString() },
    LastUpdatedTimestamp: new Date().toISOString(),
  }));

const listOf = <Item>(value: QueryValue | undefined): Item[] => (Array.isArray(value) ? (value as Item[]) : []);
