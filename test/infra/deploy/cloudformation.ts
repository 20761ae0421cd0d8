import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';

type Resource = { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> };
type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** The parameters of a request, without lists and structures, which are not needed here. */
export type Request = Readonly<Record<string, string>>;

/** CloudFormation's answer: a text is itself, a list is its members. */
export type Answer = { readonly [name: string]: unknown };

/** A request that CloudFormation refuses, with its error code. */
export class Refused extends Error {
  readonly code: string;

  constructor(message: string, code = 'ValidationError') {
    super(message);
    this.code = code;
  }
}

/** A stack as CloudFormation stores it. */
export type StackRecord = {
  readonly name: string;
  readonly id: string;
  status: string;
  statusReason?: string | undefined;
  templateBody: string;
  terminationProtection: boolean;
  /** The parameters of the newest change set, by name. */
  parameters: Readonly<Record<string, string>>;
  policy?: string;
  readonly changeSets: Map<string, ChangeSet>;
  /** Oldest first. */
  readonly events: StackEvent[];
};

type StackEvent = {
  readonly LogicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
  readonly ResourceStatusReason?: string | undefined;
};

type ResourceChange = {
  readonly Action: 'Add' | 'Modify' | 'Remove';
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string;
  readonly ResourceType: string;
  readonly Replacement?: 'True' | 'False';
  readonly Details?: readonly unknown[];
  /** The change set of a nested stack. */
  readonly ChangeSetId?: string;
};

type ChangeSet = {
  readonly name: string;
  readonly templateBody: string;
  readonly changes: readonly ResourceChange[];
  readonly nested: readonly { readonly stack: StackRecord; readonly changeSet: ChangeSet }[];
};

type Options = {
  readonly place: { readonly region: string; readonly accountId: string };
  readonly stacks: Map<string, StackRecord>;
  /** Returns the text of an object, by the URL of its upload. */
  readonly readObject: (url: string) => string;
  /** Returns why the change of a resource should fail; `undefined` if it should not. */
  readonly faultOf: (logicalId: string) => string | undefined;
};

/** Answers the requests that a deployment of a stack sends. Everything is executed at once, before the answer. */
export const createCloudFormation = ({ place, stacks, readObject, faultOf }: Options) => {
  const stackOf = ({ StackName = '' }: Request): StackRecord => {
    const found = [...stacks.values()].find(({ name, id }) => [name, id].includes(StackName));
    if (!found) throw new Refused(`Stack with id ${StackName} does not exist`);
    return found;
  };
  const newStack = (name: string): StackRecord => {
    const id = `arn:aws:cloudformation:${place.region}:${place.accountId}:stack/${name}/${randomUUID()}`;
    const stack: StackRecord = {
      name,
      id,
      status: 'REVIEW_IN_PROGRESS',
      templateBody: '{"Resources":{}}',
      terminationProtection: false,
      parameters: {},
      changeSets: new Map(),
      events: [],
    };
    stacks.set(name, stack);
    return stack;
  };
  /** A nested stack exists from its first change set on, and has one whenever its parent stack has one. */
  const createChangeSet = (
    stack: StackRecord,
    { name, templateBody }: Pick<ChangeSet, 'name' | 'templateBody'>,
  ): ChangeSet => {
    const next: Template = JSON.parse(templateBody);
    const nested = Object.entries(next.Resources)
      .filter(([, { Type }]) => Type === nestedType)
      .map(([logicalId, { Properties }]) => {
        const ofStack = nestedName(stack, logicalId);
        const inner = stacks.get(ofStack) ?? newStack(ofStack);
        const text = readObject(urlOf(Properties?.TemplateURL));
        return {
          logicalId,
          stack: inner,
          changeSet: createChangeSet(inner, { name: `${name}-${logicalId}`, templateBody: text }),
        };
      });
    const own = changesBetween(JSON.parse(stack.templateBody), next).filter(
      ({ ResourceType }) => ResourceType !== nestedType,
    );
    const ofNested = nested.map(({ logicalId, stack: inner, changeSet }): ResourceChange => {
      const Action = inner.status === 'REVIEW_IN_PROGRESS' ? 'Add' : 'Modify';
      return { Action, LogicalResourceId: logicalId, ResourceType: nestedType, ChangeSetId: changeSet.name };
    });
    const changeSet = { name, templateBody, nested, changes: [...own, ...ofNested] };
    stack.changeSets.set(name, changeSet);
    return changeSet;
  };
  const changeSetOf = (request: Request) => {
    // A nested stack is identified only by its id.
    const stack = request.StackName
      ? stackOf(request)
      : ([...stacks.values()].find(({ changeSets }) => changeSets.has(request.ChangeSetName ?? '')) ??
        stackOf(request));
    const changeSet = stack.changeSets.get(request.ChangeSetName ?? '');
    if (!changeSet) throw new Refused(`ChangeSet [${request.ChangeSetName}] does not exist`, 'ChangeSetNotFound');
    return { stack, changeSet };
  };

  const actions: Readonly<Record<string, (request: Request) => Answer>> = {
    DescribeStacks: (request) => ({ Stacks: [descriptionOf(stackOf(request))] }),
    CreateChangeSet: (request) => {
      const { StackName = '', ChangeSetName: name = '', TemplateURL, TemplateBody = '' } = request;
      const stack = stacks.get(StackName) ?? newStack(StackName);
      // A template that is not uploaded may be YAML.
      const templateBody = TemplateURL === undefined ? JSON.stringify(parse(TemplateBody)) : readObject(TemplateURL);
      stack.parameters = parametersOf(request);
      createChangeSet(stack, { name, templateBody });
      return { Id: name, StackId: stack.id };
    },
    DescribeChangeSet: (request) => {
      const { stack, changeSet } = changeSetOf(request);
      const isEmpty = changeSet.changes.length === 0;
      return {
        ChangeSetName: changeSet.name,
        ChangeSetId: changeSet.name,
        StackId: stack.id,
        StackName: stack.name,
        CreationTime: new Date().toISOString(),
        Status: isEmpty ? 'FAILED' : 'CREATE_COMPLETE',
        ExecutionStatus: isEmpty ? 'UNAVAILABLE' : 'AVAILABLE',
        StatusReason: isEmpty ? "The submitted information didn't contain changes." : undefined,
        Changes: changeSet.changes.map((ResourceChange) => ({ Type: 'Resource', ResourceChange })),
      };
    },
    DeleteChangeSet: (request) => {
      const stack = stackOf(request);
      const changeSet = stack.changeSets.get(request.ChangeSetName ?? '');
      if (!changeSet) return {};
      for (const each of [...changeSet.nested, { stack, changeSet }]) each.stack.changeSets.delete(each.changeSet.name);
      return {};
    },
    ExecuteChangeSet: (request) => {
      const { stack, changeSet } = changeSetOf(request);
      stack.changeSets.clear();
      const isFirst = stack.status === 'REVIEW_IN_PROGRESS';
      // A nested stack whose creation failed is deleted with all other new resources.
      if (!execute(stack, changeSet, faultOf) && isFirst)
        for (const nested of changeSet.nested) stacks.delete(nested.stack.name);
      return {};
    },
    DescribeStackEvents: (request) => {
      const { name, id, events } = stackOf(request);
      return {
        StackEvents: events
          .map((event, index) => ({ StackId: id, StackName: name, EventId: String(index), Timestamp: now(), ...event }))
          .toReversed(),
      };
    },
    GetTemplate: (request) => ({ TemplateBody: stackOf(request).templateBody }),
    DescribeStackResource: (request) => {
      const nested = stacks.get(nestedName(stackOf(request), request.LogicalResourceId ?? ''));
      return { StackResourceDetail: { PhysicalResourceId: nested?.id } };
    },
    DescribeStackResources: () => ({ StackResources: [] }),
    ListStackResources: () => ({ StackResourceSummaries: [] }),
    UpdateTerminationProtection: (request) => {
      stackOf(request).terminationProtection = request.EnableTerminationProtection === 'true';
      return {};
    },
    SetStackPolicy: (request) => {
      stackOf(request).policy = request.StackPolicyBody ?? '';
      return {};
    },
  };

  return (name: string, request: Request): Answer => {
    const action = actions[name];
    if (!action) throw new Refused(`CloudFormation does not know ${name} here.`);
    return action(request);
  };
};

/** Reads `Parameters.member.1.ParameterKey` and `…Value`, the protocol's form of a list of structures. */
const parametersOf = (request: Request): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, key]) => {
      const [, index] = /^Parameters\.member\.(\d+)\.ParameterKey$/.exec(name) ?? [];
      return index === undefined ? [] : [[key, request[`Parameters.member.${index}.ParameterValue`] ?? '']];
    }),
  );

const nestedType = 'AWS::CloudFormation::Stack';

const nestedName = (stack: StackRecord, logicalId: string): string => `${stack.name}-${logicalId}-1A2B3C4D5E6F`;

/** Returns a URL of a template as text: only the suffix of AWS's names is a reference. */
const urlOf = (url: unknown): string => {
  const parts = (url as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'][1];
  return parts.map((part) => (typeof part === 'string' ? part : 'amazonaws.com')).join('');
};

const now = () => new Date().toISOString();

const descriptionOf = ({ name, id, status, statusReason, terminationProtection }: StackRecord): Answer => ({
  StackName: name,
  StackId: id,
  CreationTime: now(),
  StackStatus: status,
  StackStatusReason: statusReason,
  EnableTerminationProtection: terminationProtection,
});

/** Properties whose change makes CloudFormation replace the resource; only those that the tests change. */
const recreating = ['KeySchema'];

/** Compares two templates as text, without following references. */
const changesBetween = ({ Resources: before }: Template, { Resources: after }: Template): ResourceChange[] => [
  ...Object.entries(after).flatMap(([LogicalResourceId, { Type: ResourceType, Properties = {} }]): ResourceChange[] => {
    const old = before[LogicalResourceId]?.Properties;
    if (!old) return LogicalResourceId in before ? [] : [{ Action: 'Add', LogicalResourceId, ResourceType }];
    const names = [...new Set([...Object.keys(old), ...Object.keys(Properties)])];
    const changed = names.filter((Name) => !isDeepStrictEqual(old[Name], Properties[Name]));
    if (changed.length === 0) return [];
    const isReplaced = changed.some((name) => recreating.includes(name));
    const Details = changed.map((Name) => ({
      Target: {
        Attribute: 'Properties',
        Name,
        RequiresRecreation: recreating.includes(Name) ? 'Always' : 'Never',
      },
    }));
    const Replacement = isReplaced ? 'True' : 'False';
    const PhysicalResourceId = `the-${LogicalResourceId}`;
    return [{ Action: 'Modify', LogicalResourceId, PhysicalResourceId, ResourceType, Replacement, Details }];
  }),
  ...Object.entries(before)
    .filter(([LogicalResourceId]) => !(LogicalResourceId in after))
    .map(
      ([LogicalResourceId, { Type }]): ResourceChange => ({
        Action: 'Remove',
        LogicalResourceId,
        PhysicalResourceId: `the-${LogicalResourceId}`,
        ResourceType: Type,
      }),
    ),
];

/**
 * Executes a change set, resource by resource, nested stacks last. The stack stays unchanged if a change fails. Returns whether
 * all succeeded.
 */
const execute = (
  stack: StackRecord,
  { changes, nested, templateBody }: ChangeSet,
  faultOf: Options['faultOf'],
): boolean => {
  const isFirst = stack.status === 'REVIEW_IN_PROGRESS';
  const verb = isFirst ? 'CREATE' : 'UPDATE';
  const record = (
    status: string,
    { LogicalResourceId, ResourceType }: Pick<StackEvent, 'LogicalResourceId' | 'ResourceType'>,
    reason?: string,
  ) =>
    void stack.events.push({ LogicalResourceId, ResourceType, ResourceStatus: status, ResourceStatusReason: reason });
  const recordStack = (status: string, reason?: string) => {
    stack.status = status;
    stack.statusReason = reason;
    record(status, { LogicalResourceId: stack.name, ResourceType: 'AWS::CloudFormation::Stack' }, reason);
  };
  const verbs = { Add: 'CREATE', Modify: 'UPDATE', Remove: 'DELETE' };

  recordStack(`${verb}_IN_PROGRESS`, 'User Initiated');
  for (const change of changes) {
    const within = nested.find(({ changeSet }) => changeSet.name === change.ChangeSetId);
    if (within?.changeSet.changes.length === 0) continue;
    const isFailed = within && !execute(within.stack, within.changeSet, faultOf);
    const fault = isFailed ? within.stack.statusReason : faultOf(change.LogicalResourceId);
    if (fault !== undefined) {
      record(`${verbs[change.Action]}_FAILED`, change, fault);
      recordStack(isFirst ? 'ROLLBACK_COMPLETE' : 'UPDATE_ROLLBACK_COMPLETE', `${change.LogicalResourceId} failed.`);
      return false;
    }
    record(`${verbs[change.Action]}_COMPLETE`, change);
  }
  stack.templateBody = templateBody;
  recordStack(`${verb}_COMPLETE`);
  return true;
};
