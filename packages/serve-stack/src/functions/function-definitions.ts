import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';
import { readFunctionVersions } from './function-versions.ts';

/** Holds what the template says of a function. */
export type FunctionDefinition = {
  readonly name: string;
  readonly arn: string;
  /** The version that it runs as, whoever invokes it. */
  readonly version: string;
  /** Under these it can be invoked too: its version's ARN and those of its aliases. */
  readonly qualifiedArns: readonly string[];
  readonly code: FunctionCode;
  readonly handler: string;
  readonly runtime: string;
  readonly roleArn: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMegabytes: number;
  readonly timeoutMs: number;
  readonly logGroup: string;
};

/** Code comes as an asset of the cloud assembly or stands in the template. */
export type FunctionCode = { readonly S3Key?: string; readonly ZipFile?: string };

type FunctionProperties = {
  readonly Code: FunctionCode;
  readonly Environment?: { readonly Variables?: Readonly<Record<string, string>> };
  readonly Handler: string;
  readonly LoggingConfig?: { readonly LogGroup?: string };
  readonly MemorySize?: number;
  readonly Role: string;
  readonly Runtime: string;
  readonly Timeout?: number;
};

const knownProperties = [
  ...['Code', 'Environment', 'FunctionName', 'Handler', 'LoggingConfig', 'MemorySize', 'Role', 'Runtime', 'Timeout'],
  // A local run needs nothing of these: its processes have this machine's architecture, and it looks for no loops.
  ...['Architectures', 'Description', 'RecursiveLoop', 'Tags'],
];
const lambdaDefaults = { MemorySize: 128, Timeout: 3 };

/** Reads the template's functions; what is not known of one is an error that names it. */
export const readFunctions = (template: Template, resolve: Resolve): FunctionDefinition[] => {
  const resources = readResources<FunctionProperties>(template, resolve, 'AWS::Lambda::Function', knownProperties);
  const arnOf = (logicalId: string) => resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] });
  const arns = resources.map(({ logicalId }) => arnOf(logicalId));
  const versionOf = readFunctionVersions(template, resolve, arns);
  return resources.map((properties) => {
    const { logicalId, Code, Environment = {}, LoggingConfig = {}, Runtime } = properties;
    const { MemorySize, Timeout } = { ...lambdaDefaults, ...properties };
    const name = resolve<string>({ Ref: logicalId });
    const known = (what: string, part: object, names: readonly string[]) =>
      requireKnown(`${what} of ${logicalId}:`, Object.keys(part), names);
    known('property of the code', Code, ['S3Bucket', 'S3Key', 'ZipFile']);
    known('property of the environment', Environment, ['Variables']);
    known('logging', LoggingConfig, ['ApplicationLogLevel', 'LogFormat', 'LogGroup', 'SystemLogLevel']);
    if (!/^nodejs\d+\.x$/.test(Runtime))
      throw new UserFacingError(`The local run does not know the runtime ${Runtime} of ${logicalId}; it has Node.js.`);
    return {
      name,
      arn: arnOf(logicalId),
      ...versionOf(arnOf(logicalId)),
      code: Code,
      handler: properties.Handler,
      runtime: Runtime,
      roleArn: properties.Role,
      variables: Environment.Variables ?? {},
      memoryMegabytes: MemorySize,
      timeoutMs: Timeout * 1000,
      logGroup: LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
    };
  });
};

/** Finds a function by its name; the stack's name and a dash at its beginning may be left out. */
export const functionNamed = (
  functions: readonly FunctionDefinition[],
  stackName: string,
  wanted: string,
): FunctionDefinition => {
  const found = functions.find(({ name }) => [wanted, `${stackName}-${wanted}`].includes(name));
  if (found) return found;
  const names = functions.map(({ name }) => name.replace(`${stackName}-`, ''));
  throw new UserFacingError(`The stack has no function ${wanted}. It has ${names.join(', ')}.`);
};

/** Tells where a function logs to. */
export type LogDestination = { readonly logGroup: string; readonly logStream: string };

/** Gives the destinations of functions by their names, which their log files have too. */
export const readLogDestinations = (template: Template, resolve: Resolve): ReadonlyMap<string, LogDestination> =>
  new Map(
    readFunctions(template, resolve).map((definition) => [
      definition.name,
      { logGroup: definition.logGroup, logStream: logStreamOf(definition) },
    ]),
  );

/** Names the log stream of a function's processes, as Lambda does in a log group that several functions share. */
export const logStreamOf = ({ name, version }: Pick<FunctionDefinition, 'name' | 'version'>): string =>
  `local/${name}[${version}]`;
