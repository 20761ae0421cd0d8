import { listOf, resourcesOf, type Template } from './check.ts';

export type Statement = Readonly<Record<string, unknown>>;

/** Finds all statements of all policies of the template, whichever property they stand in. */
export const statementsIn = (template: Template): { readonly logicalId: string; readonly statement: Statement }[] =>
  resourcesOf(template).flatMap(({ logicalId, properties }) =>
    documentsIn(properties).flatMap((document) =>
      listOf(document.Statement).map((statement) => ({ logicalId, statement })),
    ),
  );

type PolicyDocument = { readonly Statement: Statement | readonly Statement[] };

const documentsIn = (value: unknown): PolicyDocument[] => {
  if (typeof value !== 'object' || value === null) return [];
  // Rules of AWS WAF have statements of another kind, and no version.
  if ('Statement' in value && 'Version' in value) return [value as PolicyDocument];
  return Object.values(value).flatMap(documentsIn);
};
