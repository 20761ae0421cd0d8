import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';

/** Holds what the template says of a function. */
export type FunctionDefinition = {
  readonly name: string;
  readonly arn: string;
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
  // A local run needs nothing of these: its processes have this machine's architecture.
  ...['Architectures', 'Description', 'Tags'],
];
const lambdaDefaults = { MemorySize: 128, Timeout: 3 };

/** Reads the template's functions; what is not known of one is an error that names it. */
export const readFunctions = (template: Template, resolve: Resolve): FunctionDefinition[] =>
  readResources<FunctionProperties>(template, resolve, 'AWS::Lambda::Function', knownProperties).map((properties) => {
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
      arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
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

/** Tells where each function logs to, by its name, which its log file has too. */
export const readLogGroups = (template: Template, resolve: Resolve): ReadonlyMap<string, string> =>
  new Map(readFunctions(template, resolve).map(({ name, logGroup }) => [name, logGroup]));
