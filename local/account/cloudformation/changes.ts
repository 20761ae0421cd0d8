import { isDeepStrictEqual } from 'node:util';
import { creationOrder, referencesIn } from './references.ts';
import { recreationBy } from './specification.ts';
import type { ResourceChange, StackRecord } from './stack-record.ts';
import type { Resource, Template } from './template-body.ts';

/** What a change set does to each resource: the new template against the one that the stack has. */
export const changesBetween = ({ template: before, resources }: StackRecord, after: Template): ResourceChange[] => {
  const changes = new Map<string, ResourceChange>();
  for (const logicalId of creationOrder(after)) {
    const [old, next] = [
      resources.has(logicalId) ? before.Resources[logicalId] : undefined,
      after.Resources[logicalId],
    ];
    if (!next) continue;
    const PhysicalResourceId = resources.get(logicalId)?.physicalId;
    const what = { LogicalResourceId: logicalId, PhysicalResourceId, ResourceType: next.Type };
    if (!old) changes.set(logicalId, { Action: 'Add', ...what });
    else {
      const change = modification(old, next, isReplacedIn(changes));
      if (change) changes.set(logicalId, { Action: 'Modify', ...what, ...change });
    }
  }
  for (const [LogicalResourceId, { type, physicalId }] of resources)
    if (!(LogicalResourceId in after.Resources))
      changes.set(LogicalResourceId, {
        Action: 'Remove',
        LogicalResourceId,
        PhysicalResourceId: physicalId,
        ResourceType: type,
      });
  return [...changes.values()];
};

/** Resources that are replaced, or that may be, have other names afterwards for all that refer to them. */
const isReplacedIn = (changes: ReadonlyMap<string, ResourceChange>) => (logicalId: string) => {
  const replacement = changes.get(logicalId)?.Replacement;
  return replacement === 'True' || replacement === 'Conditional';
};

const modification = (
  old: Resource,
  next: Resource,
  isReplaced: (logicalId: string) => boolean,
): Pick<ResourceChange, 'Replacement' | 'Scope' | 'Details'> | undefined => {
  if (old.Type !== next.Type) return { Replacement: 'True', Scope: ['Properties'], Details: [] };
  const [oldProperties, properties] = [old.Properties ?? {}, next.Properties ?? {}];
  const names = [...new Set([...Object.keys(oldProperties), ...Object.keys(properties)])];
  const Details = names.flatMap((Name) => {
    const isStatic = !isDeepStrictEqual(oldProperties[Name], properties[Name]);
    if (!isStatic && !referencesIn(properties[Name]).some(isReplaced)) return [];
    const RequiresRecreation = recreationBy(next.Type, Name);
    const [Evaluation, ChangeSource] = isStatic
      ? (['Static', 'DirectModification'] as const)
      : (['Dynamic', 'ResourceReference'] as const);
    return [{ Target: { Attribute: 'Properties', Name, RequiresRecreation }, Evaluation, ChangeSource }];
  });
  if (Details.length === 0) return undefined;
  const recreations = Details.filter(({ Target }) => Target.RequiresRecreation !== 'Never');
  const isCertain = recreations.some(
    ({ Evaluation, Target }) => Evaluation === 'Static' && Target.RequiresRecreation === 'Always',
  );
  return {
    Replacement: isCertain ? 'True' : recreations.length > 0 ? 'Conditional' : 'False',
    Scope: ['Properties'],
    Details,
  };
};
