import { randomBytes, randomUUID } from 'node:crypto';
import type { Environment } from '../../aws/template/environment.ts';
import type { RequestsOf } from './execution-rights.ts';
import { creationOrder } from './references.ts';
import { resolveIn } from './resolve.ts';
import { refusalOf } from './resource-refusals.ts';
import { namePropertyOf } from './specification.ts';
import type { ChangeSet, DeployedResource, StackRecord } from './stack-record.ts';
import type { Resource, Template } from './template-body.ts';

export type Surroundings = {
  readonly environment: Environment;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly requestsOf: RequestsOf;
  /** Whether a bucket has an object: the code of functions has to be there. */
  readonly hasObject: (bucket: string, key: string) => boolean;
  /** A reason to fail that the test gives, for one resource. */
  readonly faultOf: (logicalId: string) => string | undefined;
  /** Takes what a stack has left behind. */
  readonly leave: (resource: DeployedResource) => void;
};

/** Carries out a change set, resource by resource; puts the stack back where it was if one of them fails. */
export const execute = (stack: StackRecord, changeSet: ChangeSet, surroundings: Surroundings): void => {
  const isFirst = stack.status === 'REVIEW_IN_PROGRESS';
  const verb = isFirst ? 'CREATE' : 'UPDATE';
  const { resources, template, templateBody, parameters, resolvedParameters, tags } = stack;
  record(stack, `${verb}_IN_PROGRESS`, 'User Initiated');
  stack.resources = new Map(resources);
  const failure = applyChanges(stack, changeSet, surroundings);
  if (failure === undefined) {
    const { changes, ...applied } = changeSet;
    stack.template = applied.template;
    stack.templateBody = applied.templateBody;
    stack.parameters = applied.parameters;
    stack.resolvedParameters = applied.resolvedParameters;
    stack.tags = applied.tags;
    for (const change of changes.filter(({ Action }) => Action === 'Remove'))
      remove(stack, change.LogicalResourceId, template, surroundings);
    record(stack, `${verb}_COMPLETE`);
    return;
  }
  record(stack, isFirst ? 'ROLLBACK_IN_PROGRESS' : 'UPDATE_ROLLBACK_IN_PROGRESS', failure);
  for (const logicalId of [...stack.resources.keys()].reverse())
    if (!resources.has(logicalId)) remove(stack, logicalId, changeSet.template, surroundings, true);
  Object.assign(stack, { resources, template, templateBody, parameters, resolvedParameters, tags });
  record(stack, isFirst ? 'ROLLBACK_COMPLETE' : 'UPDATE_ROLLBACK_COMPLETE');
};

/** Deletes a stack. Gives what it could not delete; the stack stays if there is such. */
export const destroy = (stack: StackRecord, surroundings: Surroundings): void => {
  record(stack, 'DELETE_IN_PROGRESS', 'User Initiated');
  for (const logicalId of [...stack.resources.keys()].reverse()) remove(stack, logicalId, stack.template, surroundings);
  record(stack, stack.resources.size > 0 ? 'DELETE_FAILED' : 'DELETE_COMPLETE');
};

/** The sentence in which the first failure is told, or `undefined`. */
const applyChanges = (
  stack: StackRecord,
  { changes, template, resolvedParameters: parameters }: ChangeSet,
  surroundings: Surroundings,
) => {
  const byLogicalId = new Map(changes.map((change) => [change.LogicalResourceId, change]));
  for (const logicalId of creationOrder(template)) {
    const change = byLogicalId.get(logicalId);
    const resource = template.Resources[logicalId];
    if (!change || !resource) continue;
    const old = stack.resources.get(logicalId);
    const { environment } = surroundings;
    const known = { stackName: stack.name, stackId: stack.id, environment, parameters, resources: stack.resources };
    const properties = resolveIn(known)(resource.Properties ?? {}) as Record<string, unknown>;
    const isReplaced = change.Replacement === 'True';
    const physicalId = old && !isReplaced ? old.physicalId : nameOf(stack, logicalId, resource, properties);
    const made: DeployedResource = { logicalId, type: resource.Type, physicalId, properties };
    const verb = old ? 'UPDATE' : 'CREATE';
    recordResource(stack, made, `${verb}_IN_PROGRESS`);
    const refusal = surroundings.faultOf(logicalId) ?? refusalOf({ stack, change, old, made, ...surroundings });
    if (refusal !== undefined) {
      recordResource(stack, made, `${verb}_FAILED`, refusal);
      return `The following resource(s) failed to ${verb.toLowerCase()}: [${logicalId}]. `;
    }
    stack.resources.set(logicalId, made);
    recordResource(stack, made, `${verb}_COMPLETE`);
    if (old && isReplaced && resource.UpdateReplacePolicy?.startsWith('Retain')) surroundings.leave(old);
  }
  return undefined;
};

/** A fixed name, or one with the stack's, the construct's and something random in it. */
const nameOf = (
  { name }: StackRecord,
  logicalId: string,
  { Type }: Resource,
  properties: Readonly<Record<string, unknown>>,
): string => {
  const fixed = properties[namePropertyOf(Type) ?? ''];
  return typeof fixed === 'string' ? fixed : `${name}-${logicalId}-${randomBytes(6).toString('hex').toUpperCase()}`;
};

const remove = (
  stack: StackRecord,
  logicalId: string,
  template: Template,
  { leave }: Surroundings,
  isCreationPutBack = false,
): void => {
  const resource = stack.resources.get(logicalId);
  if (!resource) return;
  const policy = template.Resources[logicalId]?.DeletionPolicy;
  if (policy === 'Retain' || (policy === 'RetainExceptOnCreate' && !isCreationPutBack)) {
    leave(resource);
    recordResource(stack, resource, 'DELETE_SKIPPED');
  } else if (isProtected(resource)) {
    recordResource(stack, resource, 'DELETE_FAILED', 'Resource cannot be deleted as it is protected against deletion.');
    return;
  } else recordResource(stack, resource, 'DELETE_COMPLETE');
  stack.resources.delete(logicalId);
};

/** The replicas of a global table are protected one by one. */
const isProtected = ({ properties }: DeployedResource): boolean =>
  [properties, ...((properties.Replicas ?? []) as Record<string, unknown>[])].some(
    ({ DeletionProtectionEnabled }) => DeletionProtectionEnabled === true,
  );

/** Puts down what became of the stack itself. */
export const record = (stack: StackRecord, status: string, reason?: string): void => {
  stack.status = status;
  stack.statusReason = reason;
  const self = { logicalId: stack.name, type: 'AWS::CloudFormation::Stack', physicalId: stack.id, properties: {} };
  recordResource(stack, self, status, reason);
};

const recordResource = (stack: StackRecord, resource: DeployedResource, status: string, reason?: string): void => {
  stack.events.push({
    ...{ StackId: stack.id, StackName: stack.name, EventId: randomUUID() },
    LogicalResourceId: resource.logicalId,
    PhysicalResourceId: resource.physicalId,
    ResourceType: resource.type,
    ResourceStatus: status,
    ResourceStatusReason: reason,
    Timestamp: new Date().toISOString(),
  });
};
