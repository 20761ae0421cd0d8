import { parse } from 'yaml';
import { validationError } from '../account-error.ts';

export type Resource = {
  readonly Type: string;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
};

export type Template = {
  readonly Parameters?: Readonly<Record<string, { readonly Type?: string; readonly Default?: string }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
};

/** The quotas of CloudFormation that a template can exceed. */
const quotas = { bytes: 1_000_000, resources: 500 };

/** Reads a template in JSON or YAML. Throws what CloudFormation says if it is none, or exceeds a quota. */
export const parseTemplate = (body: string): Template => {
  const bytes = Buffer.byteLength(body);
  if (bytes > quotas.bytes)
    throw validationError(`Template may not exceed ${quotas.bytes} bytes in size; it has ${bytes}.`);
  const template = parse(body) as Template | undefined;
  const count = Object.keys(template?.Resources ?? {}).length;
  if (!template || count === 0)
    throw validationError('Template format error: At least one Resources member must be defined.');
  if (count > quotas.resources)
    throw validationError(
      `Template format error: Number of resources, ${count}, is greater than maximum allowed, ${quotas.resources}`,
    );
  return template;
};

/** Decides the conditions: what they leave out is not in the result, and neither is any `Fn::If`. */
export const withoutConditions = (template: Template, parameters: Readonly<Record<string, string>>): Template => {
  const isTrue = (condition: unknown): boolean => {
    const [[name, argument] = ['', undefined]] = Object.entries(condition as object) as [string, unknown][];
    const parts = Array.isArray(argument) ? argument : [argument];
    if (name === 'Condition') return isTrue(template.Conditions?.[String(argument)]);
    if (name === 'Fn::Equals') return comparedValue(parts[0]) === comparedValue(parts[1]);
    if (name === 'Fn::Not') return !isTrue(parts[0]);
    if (name === 'Fn::And') return parts.every(isTrue);
    if (name === 'Fn::Or') return parts.some(isTrue);
    throw validationError(`Template error: ${name} is no function of conditions.`);
  };
  const comparedValue = (value: unknown) =>
    typeof value === 'object' && value !== null && 'Ref' in value ? parameters[String(value.Ref)] : value;
  const holds = (name: string | undefined) => name === undefined || isTrue({ Condition: name });

  const decide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(decide).filter((item) => !isNoValue(item));
    if (typeof value !== 'object' || value === null) return value;
    if ('Fn::If' in value) {
      const [name, then, otherwise] = value['Fn::If'] as [string, unknown, unknown];
      return decide(holds(name) ? then : otherwise);
    }
    const entries = Object.entries(value).map(([key, each]) => [key, decide(each)] as const);
    return Object.fromEntries(entries.filter(([, each]) => !isNoValue(each)));
  };
  const kept = <Entry extends { readonly Condition?: string }>(section: Readonly<Record<string, Entry>> = {}) =>
    Object.fromEntries(Object.entries(section).filter(([, { Condition }]) => holds(Condition)));
  const { Conditions: _, ...rest } = template;
  return decide({ ...rest, Resources: kept(template.Resources), Outputs: kept(template.Outputs) }) as Template;
};

const isNoValue = (value: unknown) =>
  typeof value === 'object' && value !== null && 'Ref' in value && value.Ref === 'AWS::NoValue';
