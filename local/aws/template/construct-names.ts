import type { NamedResource } from './template.ts';

/**
 * Names each of the resources as the source code of the stack does, by logical id: `…/Tables/ApiKeys/Resource` → `ApiKeys`.
 * Where several have a name, as many of the constructs around them stand before it as tell them apart: `orders-Queue`. One of
 * which nothing is known goes by its logical id.
 */
export const constructNamesOf = (resources: readonly NamedResource[]): ReadonlyMap<string, string> => {
  const paths = resources.map(pathOf);
  const nameOf = (path: readonly string[], length = 1): string | undefined => {
    const name = path.slice(-length).join('-');
    const isUnique = paths.filter((each) => each.slice(-length).join('-') === name).length === 1;
    if (name && isUnique) return name;
    return length < path.length ? nameOf(path, length + 1) : undefined;
  };
  return new Map(resources.map(({ logicalId }, index) => [logicalId, nameOf(paths[index] ?? []) ?? logicalId]));
};

/** The names of the constructs down to the resource; empty where the template does not tell them. */
const pathOf = ({ Metadata }: NamedResource): readonly string[] => {
  const path = Metadata?.['aws:cdk:path'];
  return typeof path === 'string' ? path.replace(/\/(Resource|Default)$/, '').split('/') : [];
};
