import { UserFacingError } from '../errors.ts';
import {
  arnOf,
  constructNamesOf,
  type Environment,
  type NamedResource,
  policyArn,
  roleArn,
  type Stack,
  tableArn,
  tablesIn,
} from './stack.ts';

/** Returns a value of the template with its intrinsic functions resolved. */
export type Resolve = <T = unknown>(value: unknown) => T;

/**
 * Returns a resolver of the intrinsic functions in values of the template. It throws an error that names an unknown function.
 */
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

/** Throws for a dynamic reference, which CloudFormation would replace with a secret or a parameter. */
const withoutDynamicReference = (text: string): string => {
  const [reference] = /\{\{resolve:[^}]*/.exec(text) ?? [];
  if (reference === undefined) return text;
  throw new UserFacingError(`The local run does not know the dynamic reference ${reference}}}.`);
};

const isGiven = (value: unknown) => !(isObject(value) && value.Ref === 'AWS::NoValue');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The results of `Ref` (under the empty name) and `Fn::GetAtt` for a resource. */
type Attributes = Readonly<Record<string, string>>;

/** Returns the attributes of a resource on this machine; `undefined` for a type that the local run does not know. */
type AttributesOf = (resource: NamedResource) => Attributes | undefined;

export const apiId = 'local';
export const rootResourceId = 'root';

/** The version of a function whose template publishes one: the first, as in an account without the function. */
export const onlyVersion = '1';

/** The parts of names that depend on the run: the prefix of tables and the endpoint of queues. */
type Place = {
  /**
   * The prefix of table names. Without it, a table with a name in the template keeps it, and the others have the stack's name
   * as prefix.
   */
  readonly tablePrefix?: string | undefined;
  /** The endpoint in the URLs of queues; AWS's by default. */
  readonly queueEndpoint?: string | undefined;
};

/** Returns the attributes of a stack's resources; `resolve` resolves the intrinsic functions in their names. */
const createAttributesOf = (
  { name: stackName, environment, template }: Stack,
  { tablePrefix, queueEndpoint = `https://sqs.${environment.region}.amazonaws.com` }: Place,
  resolve: (value: unknown) => unknown,
): AttributesOf => {
  const constructNames = constructNamesOf(tablesIn(template));

  const nameOf = ({ logicalId, Properties }: NamedResource, nameProperty: string) =>
    String(resolve(Properties?.[nameProperty] ?? `${stackName}-${logicalId}`));

  const named = (name: string, arn: string): Attributes => ({ '': name, Arn: arn });

  const table = ({ logicalId, Properties }: NamedResource) => {
    const name = Properties?.TableName
      ? `${tablePrefix ?? ''}${resolve(Properties.TableName)}`
      : `${tablePrefix ?? `${stackName}-`}${constructNames.get(logicalId)}`;
    const arn = tableArn(environment, name);
    // On AWS, the name of a stream is its creation time; a table here has only one stream.
    return { ...named(name, arn), StreamArn: `${arn}/stream/local` };
  };

  const alarm = (resource: NamedResource) => {
    const name = nameOf(resource, 'AlarmName');
    return named(name, arnOf(environment, 'cloudwatch', `alarm:${name}`));
  };

  const webFilter = (resource: NamedResource, kind: string) => {
    const [name, id] = [nameOf(resource, 'Name'), resource.logicalId];
    const arn = arnOf(environment, 'wafv2', `regional/${kind}/${name}/${id}`);
    return { '': `${name}|${id}|REGIONAL`, Arn: arn, Id: id };
  };

  const byType: Readonly<Record<string, (resource: NamedResource) => Attributes>> = {
    'AWS::ApiGateway::Deployment': () => ({ '': 'local' }),
    'AWS::ApiGateway::Resource': ({ logicalId }) => ({ '': logicalId }),
    'AWS::ApiGateway::RestApi': () => ({ '': apiId, RootResourceId: rootResourceId }),
    'AWS::ApiGateway::Stage': ({ Properties }) => ({ '': String(resolve(Properties?.StageName)) }),
    'AWS::CloudWatch::Alarm': alarm,
    'AWS::CloudWatch::CompositeAlarm': alarm,
    'AWS::CloudWatch::Dashboard': (resource) => ({ '': nameOf(resource, 'DashboardName') }),
    'AWS::CloudWatch::InsightRule': (resource) => {
      const name = nameOf(resource, 'RuleName');
      return { '': name, RuleName: name, Arn: arnOf(environment, 'cloudwatch', `insight-rule/${name}`) };
    },
    'AWS::DynamoDB::GlobalTable': table,
    'AWS::DynamoDB::Table': table,
    'AWS::Events::EventBus': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf(environment, 'events', `event-bus/${name}`));
    },
    'AWS::Events::EventBusPolicy': ({ logicalId }) => ({ '': logicalId }),
    'AWS::Events::Rule': (resource) => {
      const name = nameOf(resource, 'Name');
      return named(name, arnOf(environment, 'events', `rule/${name}`));
    },
    'AWS::IAM::ManagedPolicy': (resource) => {
      const path = String(resolve(resource.Properties?.Path ?? '/'));
      const arn = policyArn(environment, path, nameOf(resource, 'ManagedPolicyName'));
      return { '': arn, PolicyArn: arn };
    },
    'AWS::IAM::Role': (resource) => {
      const name = nameOf(resource, 'RoleName');
      return named(name, roleArn(environment, name));
    },
    'AWS::KMS::Key': ({ logicalId }) => ({
      '': logicalId,
      KeyId: logicalId,
      Arn: arnOf(environment, 'kms', `key/${logicalId}`),
    }),
    'AWS::Lambda::Alias': ({ Properties }) => {
      const arn = `${functionArnOf(environment, resolve(Properties?.FunctionName))}:${resolve(Properties?.Name)}`;
      return { '': arn, AliasArn: arn };
    },
    'AWS::Lambda::EventSourceMapping': ({ logicalId }) => ({
      '': logicalId,
      Arn: arnOf(environment, 'lambda', `event-source-mapping:${logicalId}`),
    }),
    'AWS::Lambda::Function': (resource) => {
      const name = nameOf(resource, 'FunctionName');
      return named(name, functionArnOf(environment, name));
    },
    'AWS::Lambda::Version': ({ Properties }) => {
      const arn = `${functionArnOf(environment, resolve(Properties?.FunctionName))}:${onlyVersion}`;
      return { '': arn, FunctionArn: arn, Version: onlyVersion };
    },
    'AWS::Logs::LogGroup': (resource) => {
      const name = nameOf(resource, 'LogGroupName');
      return named(name, arnOf(environment, 'logs', `log-group:${name}:*`));
    },
    'AWS::Logs::QueryDefinition': ({ logicalId }) => ({ '': logicalId, QueryDefinitionId: logicalId }),
    'AWS::SQS::Queue': (resource) => {
      const suffix = resource.Properties?.FifoQueue && !resource.Properties.QueueName ? '.fifo' : '';
      const QueueName = `${nameOf(resource, 'QueueName')}${suffix}`;
      const url = `${queueEndpoint}/${environment.accountId}/${QueueName}`;
      return { '': url, QueueUrl: url, QueueName, Arn: arnOf(environment, 'sqs', QueueName) };
    },
    'AWS::SNS::Topic': (resource) => {
      const name = nameOf(resource, 'TopicName');
      const arn = arnOf(environment, 'sns', name);
      return { '': arn, TopicArn: arn, TopicName: name };
    },
    'AWS::WAFv2::IPSet': (resource) => webFilter(resource, 'ipset'),
    'AWS::WAFv2::WebACL': (resource) => webFilter(resource, 'webacl'),
  };
  return (resource) => byType[resource.Type]?.(resource);
};

/** Returns the ARN of a function that is given by its name or its ARN. */
const functionArnOf = (environment: Environment, nameOrArn: unknown): string =>
  String(nameOrArn).startsWith('arn:') ? String(nameOrArn) : arnOf(environment, 'lambda', `function:${nameOrArn}`);
