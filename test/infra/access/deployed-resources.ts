import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { stackName, type Template } from '../synthesized.ts';

/** A resource of a stack as CloudFormation has named it. */
export type DeployedResource = {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** The resources of a template as they would be in an account: named, and their intrinsics resolved. */
export const deployedResourcesOf = (
  template: Template,
  place: { readonly account: string; readonly region: string },
): DeployedResource[] => {
  const entries = Object.entries(template.Resources);
  const named = entries.map(([logicalId, { Type, Properties = {} }]) => {
    const fixed = Properties[namePropertyOf(Type) ?? ''];
    return [logicalId, typeof fixed === 'string' ? fixed : `${stackName}-${logicalId}-1A2B3C4D5E6F`] as const;
  });
  const resolve = resolver(template, new Map(named), place);
  return named.map(([logicalId, physicalId]) => {
    const { Type: type = '', Properties = {} } = template.Resources[logicalId] ?? {};
    return { logicalId, type, physicalId, properties: resolve(Properties) as DeployedResource['properties'] };
  });
};

const database = loadAwsServiceSpecSync();

/** The property that gives a resource its name, if its type has one. */
const namePropertyOf = (type: string): string | undefined => {
  const known = database.lookup('resource', 'cloudFormationType', 'equals', type)[0];
  const [only = '', ...others] = known?.primaryIdentifier ?? [];
  return others.length === 0 && known?.properties[only]?.causesReplacement === 'yes' ? only : undefined;
};

const resolver = (
  { Resources }: Template,
  physicalIds: ReadonlyMap<string, string>,
  { account, region }: { readonly account: string; readonly region: string },
) => {
  const pseudoParameters: Readonly<Record<string, string>> = {
    'AWS::AccountId': account,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const attribute = ([logicalId = '', name]: readonly string[]): string => {
    const physicalId = physicalIds.get(logicalId) ?? logicalId;
    if (name !== 'Arn') return `${physicalId}.${name}`;
    const { Type = '' } = Resources[logicalId] ?? {};
    if (Type === 'AWS::IAM::Role') return `arn:aws:iam::${account}:role/${physicalId}`;
    return `arn:aws:${Type.split('::')[1]?.toLowerCase()}:${region}:${account}:${physicalId}`;
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      if (name === 'Ref') return pseudoParameters[argument] ?? physicalIds.get(argument) ?? argument;
      if (name === 'Fn::GetAtt') return attribute(argument);
      if (name === 'Fn::Join') return (resolve(argument[1]) as unknown[]).join(argument[0]);
      if (name === 'Fn::Select') return (resolve(argument[1]) as unknown[])[Number(argument[0])];
      if (name === 'Fn::Split') return String(resolve(argument[1])).split(argument[0]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
  };
  return resolve;
};
