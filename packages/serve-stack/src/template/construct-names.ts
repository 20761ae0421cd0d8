import type { NamedResource } from './template.ts';

/**
 * Names each of the resources as the source code of the stack does, by logical id: `…/Tables/ApiKeys/Resource` → `ApiKeys`.
 * One whose name there is unknown or not its own goes by its logical id.
 */
export const constructNamesOf = (resources: readonly NamedResource[]): ReadonlyMap<string, string> => {
  const names = new Map(resources.map((resource) => [resource.logicalId, constructNameOf(resource)]));
  const isUnique = (name: string) => [...names.values()].filter((each) => each === name).length === 1;
  return new Map([...names].map(([logicalId, name]) => [logicalId, name && isUnique(name) ? name : logicalId]));
};

const constructNameOf = ({ Metadata }: NamedResource): string | undefined => {
  const path = Metadata?.['aws:cdk:path'];
  return typeof path === 'string' ? path.replace(/\/(Resource|Default)$/, '').replace(/^.*\//, '') : undefined;
};
