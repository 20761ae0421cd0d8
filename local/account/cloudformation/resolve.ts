import { arnOf, type Environment, roleArn } from '../../aws/template/environment.ts';
import type { DeployedResource } from './stack-record.ts';

type Known = {
  readonly stackName: string;
  readonly stackId: string;
  readonly environment: Environment;
  readonly parameters: Readonly<Record<string, string>>;
  readonly resources: ReadonlyMap<string, DeployedResource>;
};

/** Resolves the intrinsic functions of a template whose conditions are decided, by what is deployed. */
export const resolveIn = ({ stackName, stackId, environment, parameters, resources }: Known) => {
  const pseudoParameters: Readonly<Record<string, string>> = {
    'AWS::AccountId': environment.accountId,
    'AWS::Partition': environment.partition,
    'AWS::Region': environment.region,
    'AWS::StackId': stackId,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const ref = (name: string): string =>
    pseudoParameters[name] ?? parameters[name] ?? resources.get(name)?.physicalId ?? name;

  const attribute = (logicalId: string, name: string): string => {
    const resource = resources.get(logicalId);
    if (!resource) return `${logicalId}.${name}`;
    const { type, physicalId } = resource;
    if (name !== 'Arn') return `${physicalId}.${name}`;
    if (type === 'AWS::IAM::Role') return roleArn(environment, physicalId);
    return arnOf(environment, String(type.split('::')[1]).toLowerCase(), physicalId);
  };

  const substitute = (argument: unknown): string => {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return String(text).replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      if (name in variables) return String(resolve(variables[name]));
      const [logicalId = '', ...rest] = name.split('.');
      return rest.length > 0 ? attribute(logicalId, rest.join('.')) : ref(name);
    });
  };

  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [only, ...others] = Object.entries(value);
    if (!only || others.length > 0)
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
    const [name, argument] = only;
    switch (name) {
      case 'Ref':
        return ref(String(argument));
      case 'Fn::GetAtt': {
        const [logicalId = '', ...rest] = Array.isArray(argument) ? argument : String(argument).split('.');
        return attribute(logicalId, rest.join('.'));
      }
      case 'Fn::Join':
        return (resolve(argument[1]) as unknown[]).join(argument[0]);
      case 'Fn::Sub':
        return substitute(argument);
      case 'Fn::Select':
        return (resolve(argument[1]) as unknown[])[Number(argument[0])];
      case 'Fn::Split':
        return String(resolve(argument[1])).split(argument[0]);
      default:
        return { [name]: resolve(argument) };
    }
  };
  return resolve;
};
