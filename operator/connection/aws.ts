import { APIGatewayClient, GetRestApiCommand } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import { stackNameOf } from '../../config/stack-name.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { unreadablePolicy } from '../errors/unreadable-policy.ts';
import { callerIn } from './caller.ts';
import { type Account, type Connection, storeOf, type Target } from './connection.ts';
import { telemetryOf } from './seam-telemetry.ts';
import { seamsOf } from './seams.ts';
import { portalBusLogicalName } from './stage-queues.ts';
import { readStoreTimeMs } from './store-time.ts';

/** More patient than a function, whose caller waits; a hung connection still ends. */
const patience = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};

/** Connects to a deployed stage with the standard credential chain. Throws if the credentials are of another account. */
export const connectToAws = async ({ stage, account, region, profile }: Target): Promise<Connection> => {
  const settings = { ...patience, region, ...(profile && { profile }) };
  const stackName = stackNameOf(stage);
  const operator = await callerIn(account, stage, new STSClient(settings));
  const cloudFormation = new CloudFormationClient(settings);
  const physicalNamesOf = await findResources(cloudFormation, stackName);
  const client = new DynamoDBClient(settings);
  const store = storeOf(client, physicalNamesOf('AWS::DynamoDB::GlobalTable'));
  const restApiId = physicalNamesOf('AWS::ApiGateway::RestApi').Api;
  const seams = seamsOf({
    sqs: new SQSClient(settings),
    events: new EventBridgeClient(settings),
    // What CloudFormation calls the id of a queue is its URL.
    queueUrls: physicalNamesOf('AWS::SQS::Queue'),
    portalBus: physicalNamesOf('AWS::Events::EventBus')[portalBusLogicalName],
  });
  return {
    store,
    seams: { ...seams, ...telemetryOf(settings, physicalNamesOf, seams) },
    operator,
    stackName,
    requestLogGroup: physicalNamesOf('AWS::Logs::LogGroup').RequestLog,
    readStoreTimeMs: () => readStoreTimeMs(store),
    readPolicy: () => readPolicy(new APIGatewayClient(settings), restApiId),
    readBaseUrl: () => readBaseUrl(cloudFormation, stackName),
    close: () => {
      client.destroy();
      seams.close();
    },
  };
};

/** Opens the account of a stage, whether or not the stage is deployed. Throws if the credentials are of another one. */
export const openAwsAccount = async ({ stage, account, region, profile }: Target): Promise<Account> => {
  const settings = { ...patience, region, ...(profile && { profile }) };
  await callerIn(account, stage, new STSClient(settings));
  return { readConcurrencyQuota: () => readConcurrencyQuota(new LambdaClient(settings)) };
};

/** The physical names of the stack's resources of a type by construct name, which is the logical id without its hash. */
const findResources = async (client: CloudFormationClient, stackName: string) => {
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
  // A change set that was never carried out leaves a stack without resources.
  if (resources.length === 0) throw notDeployed(stackName);
  return (type: string): Record<string, string | undefined> =>
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

const readPolicy = async (client: APIGatewayClient, restApiId: string | undefined): Promise<unknown> => {
  const { policy } = await client.send(new GetRestApiCommand({ restApiId }));
  if (policy === undefined) return undefined;
  try {
    // The policy comes as the inside of a JSON string: `{\"Version\":…`, slashes escaped too.
    return JSON.parse(JSON.parse(`"${policy}"`));
  } catch {
    throw unreadablePolicy(`it is no escaped JSON: ${policy}`);
  }
};

const readBaseUrl = async (client: CloudFormationClient, StackName: string): Promise<string> => {
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const baseUrl = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BaseUrl')?.OutputValue;
  if (baseUrl !== undefined) return baseUrl;
  throw new OperatorError('error', `The stack ${StackName} has no output BaseUrl. Deploy this version.`);
};

const readConcurrencyQuota = async (client: LambdaClient): Promise<number | undefined> =>
  (await client.send(new GetAccountSettingsCommand({}))).AccountLimit?.ConcurrentExecutions;
