import { UserFacingError } from '../user-facing-error.ts';
import { account, arnOf } from './account.ts';
import type { Resource, Stack } from './template.ts';

/** What `Ref` and `Fn::GetAtt` say of a resource: its `Ref` under the empty name. */
export type Attributes = Readonly<Record<string, string>>;

/** The attributes of a resource on this machine; `undefined` for a type that the local run does not know. */
export type AttributesOf = (logicalId: string, resource: Resource) => Attributes | undefined;

export type Resolve = <T = unknown>(value: unknown) => T;

/** Resolves the intrinsics in a value of the template; one that it does not know is an error that names it. */
export const createResolver = ({ name: stackName, template }: Stack, attributesOf: AttributesOf): Resolve => {
  const pseudoParameters: Attributes = {
    'AWS::AccountId': account.id,
    'AWS::Partition': account.partition,
    'AWS::Region': account.region,
    'AWS::StackId': arnOf('cloudformation', `stack/${stackName}/local`),
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };

  const attribute = (logicalId: string, name: string): string => {
    const resource = template.Resources[logicalId];
    if (!resource) throw new UserFacingError(`The template refers to ${logicalId}, which it does not contain.`);
    const value = attributesOf(logicalId, resource)?.[name];
    if (value !== undefined) return value;
    const wanted = name === '' ? 'Ref' : `the attribute ${name}`;
    throw new UserFacingError(`The local run does not know ${wanted} of ${logicalId} (${resource.Type}).`);
  };

  const ref = (name: string): unknown => {
    if (name in pseudoParameters) return pseudoParameters[name];
    const parameter = template.Parameters?.[name];
    if (!parameter) return attribute(name, '');
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
    'Fn::Join': ([delimiter, parts]: [string, unknown]) => resolve<unknown[]>(parts).join(delimiter),
    'Fn::Sub': substitute,
  };

  const resolve = <T>(value: unknown): T => {
    if (Array.isArray(value)) return value.filter(isGiven).map((item) => resolve(item)) as T;
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
  return resolve;
};

const isGiven = (value: unknown) => !(isObject(value) && value.Ref === 'AWS::NoValue');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
