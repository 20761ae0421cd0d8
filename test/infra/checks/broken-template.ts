import type { Resource as SynthesizedResource, Template } from '../synthesized.ts';

export type Resource = { -readonly [Name in keyof SynthesizedResource]: SynthesizedResource[Name] };

/** Makes a copy of a template, for a defect to be written into. */
export type BrokenTemplate = { readonly Resources: Record<string, Resource> };

export const copyOf = (template: Template): BrokenTemplate => structuredClone(template) as BrokenTemplate;

type Broken = { readonly logicalId: string; readonly resource: Resource; readonly properties: Resource['Properties'] };

/** Finds the first resource of a type that has such properties, to break it. */
export const first = (
  { Resources }: BrokenTemplate,
  type: string,
  has: (properties: Resource['Properties']) => unknown = () => true,
): Broken => {
  const [logicalId, resource] =
    Object.entries(Resources).find(([, { Type, Properties }]) => Type === type && has(Properties)) ?? [];
  if (!logicalId || !resource) throw new Error(`There is no ${type} to break.`);
  return { logicalId, resource, properties: resource.Properties };
};
