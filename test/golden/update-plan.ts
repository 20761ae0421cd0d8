import { isDeepStrictEqual } from 'node:util';
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { mergeNestedStacks, nestedStacksIn, type Resource, type Template } from '../../infra/assembly.ts';
import type { Plan } from '../../infra/deploy/plan.ts';
import { identities } from '../../infra/deploy/refusals.ts';

type Stacks = Readonly<Record<string, Template>>;

/**
 * Returns the plan of an update as CloudFormation and the deployment would make it, for the stage's stack and its nested
 * stacks.
 */
export const planBetween = (before: Stacks, after: Stacks): Plan => {
  const [deployed, next] = [before, after].map(whole) as [Template, Template];
  return { changes: withDependents(changesOf({ before, after, deployed, next }), next), deployed, next };
};

const whole = ({ stage, ...nested }: Stacks): Template =>
  mergeNestedStacks(stage as Template, ({ logicalId }) => nested[logicalId] as Template);

/**
 * Compares the resources of all stacks. A resource in another stack than before is added there and removed here. Parameters of
 * nested stacks are resolved, so that a property is compared with the value that it refers to.
 */
const changesOf = ({ before, after, deployed, next }: Record<'before' | 'after', Stacks> & Omit<Plan, 'changes'>) => {
  const [oldPlaces, newPlaces] = [before, after].map(placesOf) as [Map<string, string>, Map<string, string>];
  const isSame = (id: string) => oldPlaces.get(id) === newPlaces.get(id);
  const removed = [...oldPlaces.keys()].filter((id) => !isSame(id));
  const added = [...newPlaces.keys()].filter((id) => !isSame(id));
  return [
    ...removed.map((id) => changeOf('Remove', id, deployed.Resources[id])),
    ...added.map((id) => changeOf('Add', id, next.Resources[id])),
    ...[...newPlaces.keys()].filter(isSame).flatMap((id) => modification(id, deployed, next)),
    ...goneStacks(before, after),
  ];
};

/** Returns the stack of each resource, by logical id. */
const placesOf = (stacks: Stacks): Map<string, string> =>
  new Map(
    Object.entries(stacks).flatMap(([stack, { Resources }]) =>
      Object.entries(Resources).flatMap(([id, { Type }]) => (Type === stackType ? [] : [[id, stack] as const])),
    ),
  );

const stackType = 'AWS::CloudFormation::Stack';

const goneStacks = (before: Stacks, after: Stacks): ResourceChange[] =>
  nestedStacksIn(before.stage as Template)
    .filter(({ logicalId }) => !(logicalId in after))
    .map(({ logicalId }) => ({ Action: 'Remove', LogicalResourceId: logicalId, ResourceType: stackType }));

const changeOf = (Action: 'Add' | 'Remove' | 'Modify', id: string, resource?: Resource): ResourceChange => ({
  Action,
  LogicalResourceId: id,
  PhysicalResourceId: physicalIdOf(id, resource),
  ...(resource && { ResourceType: resource.Type as string }),
});

/** CloudFormation generates a name for a resource without one. */
const physicalIdOf = (id: string, resource?: Resource): string => {
  const name = resource?.Properties?.[identities[resource.Type]?.[0] ?? ''];
  return typeof name === 'string' ? name : `the-${id}`;
};

const modification = (id: string, deployed: Template, next: Template): ResourceChange[] => {
  const [old, now] = [deployed.Resources[id], next.Resources[id]] as [Resource, Resource];
  const [before, after] = [old.Properties ?? {}, now.Properties ?? {}];
  if (old.Type !== now.Type) return [{ ...changeOf('Modify', id, old), Replacement: 'True' }];
  const changed = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return [];
  return [withCauses(changeOf('Modify', id, now), now, changed)];
};

const withCauses = (change: ResourceChange, { Type }: Resource, changed: readonly string[]): ResourceChange => {
  const causes = changed.map((name) => [name, replacementBy(Type, name)] as const);
  const isBy = (kind: string) => causes.some(([, each]) => each === kind);
  return {
    ...change,
    Replacement: isBy('yes') ? 'True' : isBy('maybe') ? 'Conditional' : 'False',
    Details: causes.map(([Name, kind]) => ({
      Target: {
        Name,
        RequiresRecreation: kind === 'yes' ? 'Always' : kind === 'maybe' ? 'Conditionally' : 'Never',
      },
    })),
  };
};

const specification = loadAwsServiceSpecSync();

const replacementBy = (type: string, property: string): 'yes' | 'no' | 'maybe' => {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  return resource?.properties[property]?.causesReplacement ?? 'no';
};

/** Adds the resources that refer to a replaced resource in a property that cannot be updated: they are replaced, too. */
const withDependents = (changes: readonly ResourceChange[], next: Template): ResourceChange[] => {
  const replaced = changes
    .filter(({ Replacement }) => Replacement === 'True')
    .map(({ LogicalResourceId }) => LogicalResourceId);
  const known = new Map(changes.map((change) => [change.LogicalResourceId, change]));
  const further = Object.entries(next.Resources).flatMap(([id, resource]) => {
    if (known.has(id) && known.get(id)?.Replacement !== 'False') return [];
    const fixed = Object.entries(resource.Properties ?? {})
      .filter(([name, value]) => replacementBy(resource.Type, name) === 'yes' && refersTo(value, replaced))
      .map(([name]) => name);
    return fixed.length === 0 ? [] : [withCauses(changeOf('Modify', id, resource), resource, fixed)];
  });
  if (further.length === 0) return [...changes];
  const ids = further.map(({ LogicalResourceId }) => LogicalResourceId);
  return withDependents(
    [...changes.filter(({ LogicalResourceId }) => !ids.includes(LogicalResourceId)), ...further],
    next,
  );
};

const refersTo = (value: unknown, ids: readonly (string | undefined)[]): boolean => {
  const text = JSON.stringify(value);
  return typeof value !== 'string' && ids.some((id) => text.includes(`"${id}"`));
};
