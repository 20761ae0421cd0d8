import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Resource, Template } from '../assembly.ts';
import type { StackPlace } from './check.ts';

/** Thrown for a reference of a template whose resolved text has an unknown length. The message names the reference. */
export class UnknownReference extends Error {
  override readonly name = 'UnknownReference';
}

/**
 * Returns a value of a template with each intrinsic function replaced by a text. The text has the form that CloudFormation
 * resolves the function to, and the greatest length that it can have. Throws `UnknownReference` if a reference is not in the
 * table below.
 */
export const longestForm = (value: unknown, template: Template, place: StackPlace): unknown => {
  const pseudoParameters = pseudoParametersOf(place);

  const attribute = (logicalId: string, name: string): string => {
    const resource = template.Resources[logicalId];
    const form = resource && attributesByType[resource.Type]?.[name];
    if (!form) throw new UnknownReference(`${resource?.Type ?? logicalId}${name && `.${name}`}`);
    return form({ logicalId, resource, place, resolve });
  };

  const ref = (name: string) => pseudoParameters[name] ?? attribute(name, '');

  const getAtt = (argument: string | readonly string[]) => {
    const [logicalId = '', ...name] = [argument].flat().join('.').split('.');
    return attribute(logicalId, name.join('.'));
  };

  const substitute = (argument: string | [string, Readonly<Record<string, unknown>>]) => {
    const [text, variables = {}] = [argument].flat() as [string, Readonly<Record<string, unknown>>?];
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, escaped: string, name: string) => {
      if (escaped) return `\${${name}}`;
      if (name in variables) return String(resolve(variables[name]));
      return name.includes('.') ? getAtt(name) : ref(name);
    });
  };

  const intrinsics: Readonly<Record<string, (argument: never) => unknown>> = {
    Ref: ref,
    'Fn::GetAtt': getAtt,
    'Fn::Join': ([delimiter, parts]: [string, unknown]) => (resolve(parts) as unknown[]).join(delimiter),
    'Fn::Select': ([index, parts]: [number | string, unknown]) => (resolve(parts) as unknown[])[Number(index)],
    'Fn::Split': ([delimiter, text]: [string, unknown]) => String(resolve(text)).split(delimiter),
    'Fn::Sub': substitute,
  };

  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part);
    const [[name, argument] = ['', undefined]] = entries;
    if (entries.length > 1 || !/^(Ref|Fn::\w+)$/.test(name))
      return Object.fromEntries(entries.map(([key, each]) => [key, resolve(each)]));
    const intrinsic = intrinsics[name];
    if (!intrinsic) throw new UnknownReference(name);
    return intrinsic(argument as never);
  };
  return resolve(value);
};

const partitionOf = (region: string): string => RegionInfo.get(region).partition ?? 'aws';

const pseudoParametersOf = ({ stackName, account, region }: StackPlace): Readonly<Record<string, string>> => ({
  'AWS::AccountId': account,
  'AWS::Partition': partitionOf(region),
  'AWS::Region': region,
  'AWS::StackName': stackName,
  'AWS::URLSuffix': RegionInfo.get(region).domainSuffix ?? 'amazonaws.com',
});

type Reference = {
  readonly logicalId: string;
  readonly resource: Resource;
  readonly place: StackPlace;
  readonly resolve: (value: unknown) => unknown;
};

/** Builds the text that a reference to a resource resolves to. */
type Form = (reference: Reference) => string;

const uuid = '00000000-0000-0000-0000-000000000000';

/** CloudFormation appends 12 to 14 characters to a name that it generates, depending on the type. */
const randomCharacters = 'XXXXXXXXXXXXXX';

/** Builds the name of a resource: the template's, or `<stack>-<logical id>-<random characters>`, cut to the service's limit. */
const nameIn =
  (
    property: string,
    longest: number,
    suffixOf: (properties: NonNullable<Resource['Properties']>) => string = () => '',
  ) =>
  ({ logicalId, resource: { Properties = {} }, place, resolve }: Reference): string => {
    const fixed = Properties[property];
    if (fixed !== undefined) return String(resolve(fixed));
    const suffix = suffixOf(Properties);
    return `${place.stackName}-${logicalId}-${randomCharacters}`.slice(0, longest - suffix.length) + suffix;
  };

const arn =
  (service: string, resourceOf: Form): Form =>
  (reference) => {
    const { region, account } = reference.place;
    return `arn:${partitionOf(region)}:${service}:${region}:${account}:${resourceOf(reference)}`;
  };

const tableName = nameIn('TableName', 255);
const tableArn = arn('dynamodb', (of) => `table/${tableName(of)}`);
const table = {
  '': tableName,
  Arn: tableArn,
  StreamArn: (of: Reference) => `${tableArn(of)}/stream/2026-01-01T00:00:00.000`,
};

const bus = nameIn('Name', 256);
const functionName = nameIn('FunctionName', 64);
const logGroup = nameIn('LogGroupName', 512);
const queueName = nameIn('QueueName', 80, ({ FifoQueue }) => (FifoQueue === true ? '.fifo' : ''));
const ipSet = nameIn('Name', 128);
const rule = nameIn('Name', 64);
const ruleArn = arn('events', (of) => {
  const { EventBusName } = of.resource.Properties ?? {};
  return ['rule', ...(EventBusName === undefined ? [] : [of.resolve(EventBusName)]), rule(of)].join('/');
});

/** What `Ref` (the empty name) and `Fn::GetAtt` return for each type that a policy refers to. */
export const attributesByType: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  'AWS::ApiGateway::RestApi': { '': () => 'abcdefghij' },
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::Events::EventBus': { '': bus, Arn: arn('events', (of) => `event-bus/${bus(of)}`) },
  'AWS::Events::Rule': { Arn: ruleArn },
  'AWS::KMS::Key': { '': () => uuid, Arn: arn('kms', () => `key/${uuid}`) },
  'AWS::Lambda::EventSourceMapping': { '': () => uuid },
  'AWS::Lambda::Function': { '': functionName, Arn: arn('lambda', (of) => `function:${functionName(of)}`) },
  'AWS::Logs::LogGroup': { '': logGroup, Arn: arn('logs', (of) => `log-group:${logGroup(of)}:*`) },
  'AWS::SQS::Queue': { Arn: arn('sqs', queueName) },
  'AWS::WAFv2::IPSet': { Arn: arn('wafv2', (of) => `regional/ipset/${ipSet(of)}/${uuid}`) },
};
