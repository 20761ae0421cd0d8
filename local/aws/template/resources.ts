import { requireKnown } from '../require-known.ts';
import type { Resolve } from './intrinsics.ts';
import { resourcesOf, type Template } from './template.ts';

/** The template's resources of a type, intrinsics resolved; a property that is not known is an error. */
export const readResources = <Properties>(
  template: Template,
  resolve: Resolve,
  type: string,
  knownProperties: readonly string[],
): (Properties & { readonly logicalId: string })[] =>
  resourcesOf(template, type).map(({ logicalId, Properties = {} }) => {
    requireKnown(`property of ${logicalId} (${type}):`, Object.keys(Properties), knownProperties);
    return { ...resolve<Properties>(Properties), logicalId };
  });
