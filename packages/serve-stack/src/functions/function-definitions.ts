import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireKnown, UserFacingError } from '../errors.ts';
import { onlyVersion, type Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Stack, Template } from '../template/stack.ts';

/** A function of the template. */
export type FunctionDefinition = {
  readonly name: string;
  readonly arn: string;
  /** The version that every invocation runs. */
  readonly version: string;
  /** The other ARNs under which it can be invoked: its version's ARN and those of its aliases. */
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

/** The code is an asset of the cloud assembly or text in the template. */
type FunctionCode = { readonly S3Key?: string; readonly ZipFile?: string };

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
  // A local run ignores these: its processes have this machine's architecture, and it does not detect loops.
  ...['Architectures', 'Description', 'RecursiveLoop', 'Tags'],
];
const lambdaDefaults = { MemorySize: 128, Timeout: 3 };

/** Reads the template's functions. Throws an error that names any unknown property. */
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

/**
 * Finds a function by its name, with or without the stack's name and a dash at the beginning. Throws if there is no such
 * function.
 */
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

/** The log group and stream of a file of log lines. */
export type LogDestination = { readonly logGroup: string; readonly logStream: string };

/** Returns the log destinations of functions by their names, which their log files have too. */
export const readLogDestinations = (template: Template, resolve: Resolve): ReadonlyMap<string, LogDestination> =>
  new Map(
    readFunctions(template, resolve).map((definition) => [
      definition.name,
      { logGroup: definition.logGroup, logStream: logStreamOf(definition) },
    ]),
  );

/** Returns the name of the log stream of a function's processes, as Lambda does in a log group that several functions share. */
export const logStreamOf = ({ name, version }: Pick<FunctionDefinition, 'name' | 'version'>): string =>
  `local/${name}[${version}]`;

/** The version that a function runs, with the ARNs of that version and of its aliases. */
export type FunctionVersion = { readonly version: string; readonly qualifiedArns: readonly string[] };

/** The version of the latest code, which is not published. */
const latest = '$LATEST';

type VersionProperties = { readonly FunctionName: string };
type AliasProperties = VersionProperties & { readonly FunctionVersion: string };

/**
 * Reads the versions and aliases of the functions with the given ARNs. A template describes one state of a function, so a
 * function has at most one version. Throws if an alias points to another one, deployed earlier.
 */
const readFunctionVersions = (
  template: Template,
  resolve: Resolve,
  functionArns: readonly string[],
): ((functionArn: string) => FunctionVersion) => {
  const read = <Properties>(type: string, known: readonly string[]) =>
    readResources<Properties>(template, resolve, type, known).map((properties) => {
      const arn = resolve<string>({ Ref: properties.logicalId });
      const functionArn = arn.slice(0, arn.lastIndexOf(':'));
      requireKnown(`function of ${properties.logicalId}:`, [functionArn], functionArns);
      return { ...properties, arn, functionArn };
    });
  const versions = read<VersionProperties>('AWS::Lambda::Version', ['Description', 'FunctionName']);
  const aliases = read<AliasProperties>('AWS::Lambda::Alias', [
    ...['Description', 'FunctionName', 'FunctionVersion', 'Name'],
  ]);
  return (functionArn) => {
    const [published, other] = versions.filter((each) => each.functionArn === functionArn);
    if (published && other)
      throw new UserFacingError(
        `${published.logicalId} and ${other.logicalId} publish one state of one function, which Lambda refuses.`,
      );
    const version = published ? onlyVersion : latest;
    const leading = aliases.filter((each) => each.functionArn === functionArn);
    for (const { logicalId, FunctionVersion } of leading)
      requireKnown(`version that ${logicalId} leads to:`, [FunctionVersion], [version]);
    return { version, qualifiedArns: [...(published ? [published] : []), ...leading].map(({ arn }) => arn) };
  };
};

/** Copies a function's code to a folder, as in the function's file system on AWS. */
export const unpackCode = ({ assetPaths }: Stack, { name, code }: FunctionDefinition, folder: string): void => {
  const { S3Key, ZipFile } = code;
  if (S3Key !== undefined) cpSync(assetFolder(assetPaths, name, S3Key), folder, { recursive: true });
  else if (ZipFile !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), ZipFile);
  } else throw new UserFacingError(`The function ${name} has neither an asset nor code in the template.`);
};

const assetFolder = (assetPaths: Stack['assetPaths'], name: string, objectKey: string): string => {
  const path = assetPaths.get(objectKey);
  if (!path) throw new UserFacingError(`The cloud assembly has no asset ${objectKey}, the code of ${name}.`);
  if (statSync(path).isDirectory()) return path;
  throw new UserFacingError(`The local run knows assets that are folders; that of ${name} is the file ${path}.`);
};
