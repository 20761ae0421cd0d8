import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { stackNameOf } from '../../config/schema.ts';
import { deployCommandOfTrial, type TrialPlace } from '../../config/trial.ts';
import { OperatorError } from '../error.ts';

/** Longer timeouts than in functions, whose callers wait. A hung connection still ends. */
export const patience = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** Returns the physical names of a type of resources, by their logical names. */
export type PhysicalNames = (type: string) => Readonly<Record<string, string | undefined>>;

/** Returns the physical names of the stack's resources of a type, by construct name: the logical id without its hash. */
export const findResources = async (client: CloudFormationClient, stackName: string): Promise<PhysicalNames> => {
  const resources: StackResourceSummary[] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: stackName },
    ))
      resources.push(...StackResourceSummaries);
  } catch (error) {
    if ((error as Error).name !== 'ValidationError') throw error;
    throw notDeployed(stackName);
  }
  // A change set that was never executed leaves a stack without resources.
  if (resources.length === 0) throw notDeployed(stackName);
  return (type) =>
    Object.fromEntries(
      resources
        .filter(({ ResourceType }) => ResourceType === type)
        .map(({ LogicalResourceId = '', PhysicalResourceId }) => [
          LogicalResourceId.replace(/[0-9A-F]{8}$/, ''),
          PhysicalResourceId,
        ]),
    );
};

const notDeployed = (stackName: string) =>
  new OperatorError(
    'not-found',
    `There is no stack ${stackName} in this account and region. Check --stage and the region in its configuration, or deploy it first.`,
  );

/** Resolves to the URL at which partners call the stage. */
export const readBaseUrl = async (client: CloudFormationClient, stackName: string): Promise<string> =>
  (await readOutputs(client, stackName))('BaseUrl');

/** Resolves to account, region and address of a trial, which only the outputs of its stack say. */
export const readTrialPlace = async (stage: string, profile?: string): Promise<TrialPlace> => {
  const client = new CloudFormationClient({ ...patience, ...(profile && { profile }) });
  try {
    const outputOf = await readOutputs(client, stackNameOf(stage));
    return { account: outputOf('Account'), region: outputOf('Region'), allowedCidrs: outputOf('Address').split(' ') };
  } catch (error) {
    const { name, message } = error as Error;
    if (/^Region (is missing|not accepted)/.test(message))
      throw new OperatorError('usage', 'In which region is the trial? Set AWS_REGION, as for the CDK CLI.');
    if (name !== 'ValidationError') throw error;
    throw new OperatorError(
      'not-found',
      `There is no stack ${stackNameOf(stage)} in this account and region. To deploy the trial, run: ${deployCommandOfTrial(stage)}`,
    );
  } finally {
    client.destroy();
  }
};

/** Resolves to a function that returns an output of a stack by its name, and throws if the stack has none of that name. */
const readOutputs = async (client: CloudFormationClient, StackName: string) => {
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  return (name: string): string => {
    const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value !== undefined) return value;
    throw new OperatorError('error', `The stack ${StackName} has no output ${name}. Deploy this version.`);
  };
};
