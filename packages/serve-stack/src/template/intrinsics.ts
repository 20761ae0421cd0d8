import { UserFacingError } from '../errors/user-facing-error.ts';
import { arnOf } from './environment.ts';
import { type Attributes, createAttributesOf, type Place } from './resource-attributes.ts';
import type { Stack } from './template.ts';

/** Gives a value of the template with its intrinsics resolved. */
export type Resolve = <T = unknown>(value: unknown) => T;

/** Resolves the intrinsics in values of the template; one that it does not know is an error that names it. */
export const createResolver = (stack: Stack, place: Place = {}): Resolve => {
  const { name: stackName, environment, template } = stack;
  const pseudoParameters: Attributes = {
    'AWS::AccountId': environment.accountId,
    'AWS::Partition': environment.partition,
    'AWS::Region': environment.region,
    'AWS::StackId': arnOf(environment, 'cloudformation', `stack/${stackName}/local`),
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };

  const attribute = (logicalId: string, name: string): string => {
    const resource = template.Resources[logicalId];
    if (!resource) throw new UserFacingError(`The template refers to ${logicalId}, which it does not contain.`);
    const value = attributesOf({ logicalId, ...resource })?.[name];
    if (value !== undefined) return value;
    const wanted = name === '' ? 'Ref' : `the attribute ${name}`;
    throw new UserFacingError(`The local run does not know ${wanted} of ${logicalId} (${resource.Type}).`);
  };

  const ref = (name: string): unknown => {
    if (name in pseudoParameters) return pseudoParameters[name];
    const parameter = template.Parameters?.[name];
    if (!parameter) return attribute(name, '');
    if (parameter.Type?.startsWith('AWS::SSM::'))
      throw new UserFacingError(`The template's parameter ${name} is read from SSM, which a local run does not know.`);
    if (parameter.Default !== undefined) return parameter.Default;
    throw new UserFacingError(`The template's parameter ${name} has no default, and a local run sets none.`);
  };

  const getAtt = (argument: string | [string, string]): string => {
    const [logicalId = '', ...name] = typeof argument === 'string' ? argument.split('.') : argument;
    return attribute(logicalId, name.join('.'));
  };

  const substitute = (argument: string | [string, Record<string, unknown>]): string => {
    const [text, variables] = typeof argument === 'string' ? [argument, {}] : argument;
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, escaped, name: string) => {
      if (escaped) return `\${${name}}`;
      if (name in variables) return String(resolve(variables[name]));
      return String(name.includes('.') ? getAtt(name) : ref(name));
    });
  };

  const intrinsics: Readonly<Record<string, (argument: never) => unknown>> = {
    Ref: ref,
    'Fn::GetAtt': getAtt,
    'Fn::Join': ([delimiter, parts]: [string, unknown]) =>
      withoutDynamicReference(resolve<unknown[]>(parts).join(delimiter)),
    'Fn::Sub': substitute,
  };

  const resolve = <T>(value: unknown): T => {
    if (Array.isArray(value)) return value.filter(isGiven).map((item) => resolve(item)) as T;
    if (typeof value === 'string') return withoutDynamicReference(value) as T;
    if (typeof value !== 'object' || value === null) return value as T;
    const entries = Object.entries(value);
    const [only] = entries;
    if (entries.length === 1 && only && /^(Ref|Fn::\w+)$/.test(only[0])) {
      const [name, argument] = only;
      const intrinsic = intrinsics[name];
      if (!intrinsic) throw new UserFacingError(`The local run does not know the intrinsic function ${name}.`);
      return intrinsic(argument as never) as T;
    }
    return Object.fromEntries(
      entries.filter(([, item]) => isGiven(item)).map(([key, item]) => [key, resolve(item)]),
    ) as T;
  };
  const attributesOf = createAttributesOf(stack, place, resolve);
  return resolve;
};

/** CloudFormation would put a secret or a parameter in its place. */
const withoutDynamicReference = (text: string): string => {
  const [reference] = /\{\{resolve:[^}]*/.exec(text) ?? [];
  if (reference === undefined) return text;
  throw new UserFacingError(`The local run does not know the dynamic reference ${reference}}}.`);
};

const isGiven = (value: unknown) => !(isObject(value) && value.Ref === 'AWS::NoValue');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
