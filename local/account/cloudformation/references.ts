import { validationError } from '../account-error.ts';
import type { Resource, Template } from './template-body.ts';

/** The names that a value refers to by Ref, Fn::GetAtt and Fn::Sub. */
export const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, argument]) => {
    if (name === 'Ref') return [String(argument)];
    if (name === 'Fn::GetAtt')
      return [Array.isArray(argument) ? String(argument[0]) : (String(argument).split('.', 1)[0] ?? '')];
    if (name === 'Fn::Sub')
      return [...namesInText(argument), ...referencesIn(Array.isArray(argument) ? argument[1] : [])];
    return referencesIn(argument);
  });
};

const namesInText = (argument: unknown): string[] => {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  return [...String(text).matchAll(/\$\{([^!}.][^}.]*)[^}]*\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !(name in variables));
};

/** The resources that a resource has to wait for. */
export const dependenciesOf = ({ DependsOn = [], Properties }: Resource, template: Template): string[] => {
  const named = [DependsOn].flat();
  const referred = referencesIn(Properties).filter((name) => name in template.Resources);
  return [...new Set([...named, ...referred])];
};

/**
 * The resources in an order in which each comes after those that it refers to. Throws what CloudFormation says of
 * references that lead nowhere, and of those that lead in a circle.
 */
export const creationOrder = (template: Template): string[] => {
  requireKnownReferences(template);
  const order = new Set<string>();
  const visit = (logicalId: string, path: readonly string[]): void => {
    if (order.has(logicalId)) return;
    if (path.includes(logicalId))
      throw validationError(
        `Circular dependency between resources: [${path.slice(path.indexOf(logicalId)).join(', ')}]`,
      );
    const resource = template.Resources[logicalId];
    if (resource) for (const each of dependenciesOf(resource, template)) visit(each, [...path, logicalId]);
    order.add(logicalId);
  };
  for (const logicalId of Object.keys(template.Resources)) visit(logicalId, []);
  return [...order];
};

const requireKnownReferences = ({ Resources, Parameters = {}, Outputs = {} }: Template): void => {
  const isKnown = (name: string) => name in Resources || name in Parameters || name.startsWith('AWS::');
  const places: (readonly [string, unknown, readonly string[]])[] = [
    ...Object.entries(Resources).map(
      ([logicalId, { Properties, DependsOn = [] }]) => [logicalId, Properties, [DependsOn].flat()] as const,
    ),
    ...Object.entries(Outputs).map(([name, { Value }]) => [name, Value, []] as const),
  ];
  for (const [place, value, dependsOn] of places) {
    const unknown = [...referencesIn(value), ...dependsOn].filter((name) => !isKnown(name));
    if (unknown.length > 0)
      throw validationError(
        `Template format error: Unresolved resource dependencies [${unknown.join(', ')}] in ${place}`,
      );
  }
};
