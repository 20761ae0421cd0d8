import { requireKnown } from '../errors/require-known.ts';
import type { Resolve } from './intrinsics.ts';
import { type NamedResource, resourcesOf, type Template } from './template.ts';

/** Reads the template's resources of a type, intrinsics resolved; a property that is not known is an error. */
export const readResources = <Properties>(
  template: Template,
  resolve: Resolve,
  type: string,
  knownProperties: readonly string[],
): (Properties & { readonly logicalId: string })[] =>
  resourcesOf(template, type).map((resource) => readResource(resource, resolve, knownProperties));

/** Reads one resource likewise. */
export const readResource = <Properties>(
  { logicalId, Type, Properties = {} }: NamedResource,
  resolve: Resolve,
  knownProperties: readonly string[],
): Properties & { readonly logicalId: string } => {
  requireKnown(`property of ${logicalId} (${Type}):`, Object.keys(Properties), knownProperties);
  return { ...resolve<Properties>(Properties), logicalId };
};
