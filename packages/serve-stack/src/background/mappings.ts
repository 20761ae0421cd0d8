import { requireKnown, UserFacingError } from '../errors.ts';
import { type FunctionDefinition, readFunctions } from '../functions/function-definitions.ts';
import type { Outcome } from '../functions/function-process.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/stack.ts';

/** An event source mapping of the template. */
export type MappingDefinition = {
  readonly name: string;
  readonly sourceArn: string;
  readonly target: FunctionDefinition;
  /** The ARN under which the function is invoked. */
  readonly invokedArn: string;
  /** Whether the function reports which items of a batch have failed. */
  readonly reportsFailures: boolean;
  readonly properties: MappingProperties;
};

type MappingProperties = {
  readonly BatchSize?: number;
  readonly BisectBatchOnFunctionError?: boolean;
  readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination: string } };
  readonly Enabled?: boolean;
  readonly EventSourceArn: string;
  readonly FilterCriteria?: { readonly Filters?: readonly { readonly Pattern?: string }[] };
  readonly FunctionName: string;
  readonly FunctionResponseTypes?: readonly string[];
  readonly MaximumBatchingWindowInSeconds?: number;
  readonly MaximumRecordAgeInSeconds?: number;
  readonly MaximumRetryAttempts?: number;
  readonly ParallelizationFactor?: number;
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
  readonly StartingPosition?: string;
};

const commonProperties = [
  ...['BatchSize', 'Enabled', 'EventSourceArn', 'FunctionName', 'FunctionResponseTypes', 'Tags'],
];
const propertiesOfSources: Readonly<Record<string, readonly string[]>> = {
  sqs: ['MaximumBatchingWindowInSeconds', 'ScalingConfig'],
  dynamodb: [
    ...['BisectBatchOnFunctionError', 'DestinationConfig', 'MaximumRecordAgeInSeconds', 'MaximumRetryAttempts'],
    ...['FilterCriteria', 'ParallelizationFactor', 'StartingPosition'],
  ],
};

const type = 'AWS::Lambda::EventSourceMapping';

/** Reads the enabled mappings from queues and from streams of tables. Throws an error that names any unknown property. */
export const readMappings = (template: Template, resolve: Resolve) => {
  const functions = readFunctions(template, resolve);
  const anyProperties = [...commonProperties, ...Object.values(propertiesOfSources).flat()];
  const all = readResources<MappingProperties>(template, resolve, type, anyProperties).map((mapping) => {
    const { logicalId, EventSourceArn, FunctionName, FunctionResponseTypes = [] } = mapping;
    const { logicalId: _, ...properties } = mapping;
    const service = EventSourceArn.split(':')[2] ?? '';
    requireKnown(`event source of ${logicalId}:`, [service], Object.keys(propertiesOfSources));
    requireKnown(`property of ${logicalId} (${type}) from ${service}:`, Object.keys(properties), [
      ...[...commonProperties, ...(propertiesOfSources[service] ?? [])],
    ]);
    requireKnown(`response type of ${logicalId}:`, FunctionResponseTypes, ['ReportBatchItemFailures']);
    return {
      name: logicalId,
      sourceArn: EventSourceArn,
      service,
      properties,
      ...targetOf(functions, FunctionName, logicalId),
      reportsFailures: FunctionResponseTypes.length > 0,
    };
  });
  const from = (wanted: string): MappingDefinition[] =>
    all.filter(({ service, properties: { Enabled = true } }) => service === wanted && Enabled);
  return { fromQueues: from('sqs'), fromStreams: from('dynamodb') };
};

/** Finds a function by its name, its ARN, or the ARN of its version or of an alias. */
const targetOf = (functions: readonly FunctionDefinition[], nameOrArn: string, mapping: string) => {
  const target = functions.find(({ name, arn, qualifiedArns }) => [name, arn, ...qualifiedArns].includes(nameOrArn));
  if (!target) throw new UserFacingError(`The template has no function ${nameOrArn}, which ${mapping} calls.`);
  return { target, invokedArn: nameOrArn.startsWith('arn:') ? nameOrArn : target.arn };
};

/**
 * Returns the ids of the items of a batch that have failed. With ReportBatchItemFailures, these are the ids that the function
 * returns, or all ids if its answer is invalid, as on Lambda.
 */
export const failedItems = (
  outcome: Outcome,
  ids: readonly string[],
  reportsFailures: boolean,
): ReadonlySet<string> => {
  if (outcome.kind === 'failure') return new Set(ids);
  if (!reportsFailures) return new Set();
  const named = namedFailures(outcome.payload);
  return new Set(named?.every((id) => ids.includes(id)) ? named : ids);
};

/** Returns `undefined` if Lambda would not understand the answer. */
const namedFailures = (payload: string): string[] | undefined => {
  const answer: unknown = JSON.parse(payload);
  if (answer === null) return [];
  if (typeof answer !== 'object') return undefined;
  const { batchItemFailures = [] } = answer as { batchItemFailures?: unknown };
  if (batchItemFailures === null) return [];
  if (!Array.isArray(batchItemFailures)) return undefined;
  return batchItemFailures.map((item) => String(item?.itemIdentifier ?? ''));
};
