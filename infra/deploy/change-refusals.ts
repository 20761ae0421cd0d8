import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import type { Resource, Template } from './template.ts';

/** A change set, and the templates that it goes from and to. */
export type Plan = {
  readonly changes: readonly ResourceChange[];
  /** Without resources, if the stack is not there yet. */
  readonly deployed: Template;
  readonly next: Template;
};

/**
 * Says of each change that would lose data, or that CloudFormation would break off halfway, why it is not made. A change
 * that may turn out to be a replacement counts as one.
 */
export const refusedChanges = (plan: Plan): string[] => [
  ...plan.changes.flatMap((change) => [lossOfData(plan, change), namedReplacement(plan, change)].filter(isString)),
  ...severalIndexes(plan),
];

const isString = (value: string | undefined): value is string => value !== undefined;

/** Resources that are kept after the stack hold data that exists nowhere else. */
export const isRetained = ({ DeletionPolicy = '' }: Resource): boolean => DeletionPolicy.startsWith('Retain');

const isReplacement = ({ Replacement }: ResourceChange) => Replacement === 'True' || Replacement === 'Conditional';

const lossOfData = ({ deployed, next }: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  const isKept = [deployed, next].some(({ Resources }) => Resources[logicalId] && isRetained(Resources[logicalId]));
  if (!isKept) return undefined;
  if (change.Action === 'Remove')
    return `${logicalId} (${name}) would leave the stack. It holds data and is kept, but nothing would use it any more. Put it back into the template.`;
  if (!isReplacement(change)) return undefined;
  return `${logicalId} (${name}) would be replaced by an empty one, because of ${causesOf(change)}. Its data would stay behind in the old one. Undo that change; a table with other keys is a new table beside the old one, filled from it.`;
};

/** A replacement is made before the old resource is deleted, and two cannot have one name. */
const namedReplacement = ({ next }: Plan, change: ResourceChange): string | undefined => {
  const { LogicalResourceId: logicalId = '', PhysicalResourceId: name } = change;
  if (change.Action !== 'Modify' || change.Replacement !== 'True') return undefined;
  const isNamed = Object.values(next.Resources[logicalId]?.Properties ?? {}).includes(name);
  if (!isNamed) return undefined;
  return `${logicalId} has the fixed name ${name} and would have to be replaced, because of ${causesOf(change)}. CloudFormation refuses that in the middle of an update. Give it another name together with the change, or undo the change.`;
};

const causesOf = ({ Details = [] }: ResourceChange): string => {
  const causes = Details.filter(({ Target }) => Target?.RequiresRecreation !== 'Never').map(
    ({ Target }) => Target?.Name,
  );
  return [...new Set(causes)].join(', ') || 'its type';
};

type Index = { readonly IndexName: string };

/** DynamoDB makes or deletes one global index of a table at a time. */
const severalIndexes = ({ deployed, next }: Plan): string[] =>
  Object.entries(next.Resources).flatMap(([logicalId, { Properties }]) => {
    const old = deployed.Resources[logicalId];
    if (!old) return [];
    const [before, after] = [indexesOf(old.Properties), indexesOf(Properties)];
    const changed = [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name));
    if (changed.length <= 1) return [];
    return `${logicalId} would change several indexes (${[...new Set(changed)].join(', ')}), and DynamoDB changes one in an update. Deploy them one after the other.`;
  });

const indexesOf = (properties: Resource['Properties']): Map<string, string> =>
  new Map(
    ((properties?.GlobalSecondaryIndexes ?? []) as Index[]).map((index) => [index.IndexName, JSON.stringify(index)]),
  );
