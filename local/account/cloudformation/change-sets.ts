import { randomUUID } from 'node:crypto';
import { AccountError, validationError } from '../account-error.ts';
import type { QueryValue } from '../query-protocol.ts';
import { changesBetween } from './changes.ts';
import { attributesOf } from './specification.ts';
import type { ChangeSet, StackRecord, Tag } from './stack-record.ts';
import { parseTemplate, type Template, withoutConditions } from './template-body.ts';

export type ChangeSetRequest = {
  readonly name: string;
  readonly templateBody: string;
  readonly parameters: readonly Readonly<Record<string, QueryValue>>[];
  readonly tags: readonly Tag[];
  readonly capabilities: readonly string[];
  /** Reads a parameter of Systems Manager; `undefined` if there is none. */
  readonly readParameter: (name: string) => string | undefined;
};

/** Compares a template with what the stack has. Throws what CloudFormation refuses before it changes anything. */
export const createChangeSet = (stack: StackRecord, request: ChangeSetRequest): ChangeSet => {
  const { name, templateBody, tags } = request;
  const parsed = parseTemplate(templateBody);
  const parameters = parametersOf(stack, parsed, request);
  const resolvedParameters = resolvedIn(parsed, parameters, request);
  const template = withoutConditions(parsed, resolvedParameters);
  requireAttributes(template);
  requireCapabilities(template, request.capabilities);
  const changes = changesBetween(stack, template);
  const createdAt = new Date().toISOString();
  const id = `${stack.id.replace(':stack/', ':changeSet/')}/${name}/${randomUUID()}`;
  return { name, id, templateBody, template, parameters, resolvedParameters, tags, changes, createdAt };
};

/** Values that are given, kept from the last time, or those by default. */
const parametersOf = (
  stack: StackRecord,
  { Parameters = {} }: Template,
  { parameters }: ChangeSetRequest,
): Record<string, string> => {
  const given = new Map(parameters.map((each) => [String(each.ParameterKey), each]));
  const values = Object.entries(Parameters).map(([name, { Default }]): [string, string] => {
    const { ParameterValue, UsePreviousValue } = given.get(name) ?? {};
    const value = UsePreviousValue === 'true' ? stack.parameters[name] : (ParameterValue ?? Default);
    if (value === undefined) throw validationError(`Parameters: [${name}] must have values`);
    return [name, String(value)];
  });
  return Object.fromEntries(values);
};

/** What parameters stand for: those of a type of Systems Manager are read there. */
const resolvedIn = (
  { Parameters = {} }: Template,
  parameters: Readonly<Record<string, string>>,
  { readParameter }: ChangeSetRequest,
): Record<string, string> => {
  const values = Object.entries(parameters).map(([name, value]): [string, string] => {
    if (!Parameters[name]?.Type?.startsWith('AWS::SSM::')) return [name, value];
    const read = readParameter(value);
    if (read === undefined)
      throw validationError(`Unable to fetch parameters [${value}] from parameter store for this account.`);
    return [name, read];
  });
  return Object.fromEntries(values);
};

const requireAttributes = (template: Template): void => {
  const visit = (value: unknown, place: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, place);
    else if (typeof value === 'object' && value !== null)
      for (const [name, argument] of Object.entries(value)) {
        if (name !== 'Fn::GetAtt') visit(argument, place);
        else {
          const [logicalId = '', attribute = ''] = Array.isArray(argument) ? argument : String(argument).split('.');
          const type = template.Resources[logicalId]?.Type;
          if (type && attributesOf(type)?.has(attribute) === false)
            throw validationError(
              `Template error: resource ${logicalId} does not support attribute type ${attribute} in Fn::GetAtt (${place})`,
            );
        }
      }
  };
  for (const [place, { Properties }] of Object.entries(template.Resources)) visit(Properties, place);
};

/** A caller has to say that they know of roles in the template, and of names of roles. */
const requireCapabilities = ({ Resources }: Template, capabilities: readonly string[]): void => {
  const ofIam = Object.values(Resources).filter(({ Type }) =>
    /^AWS::IAM::(Role|Policy|ManagedPolicy|User)$/.test(Type),
  );
  const isNamed = ofIam.some(({ Properties = {} }) => 'RoleName' in Properties || 'ManagedPolicyName' in Properties);
  if (ofIam.length === 0 || capabilities.includes('CAPABILITY_NAMED_IAM')) return;
  if (!isNamed && capabilities.includes('CAPABILITY_IAM')) return;
  throw new AccountError('InsufficientCapabilitiesException', 'Requires capabilities : [CAPABILITY_NAMED_IAM]');
};
