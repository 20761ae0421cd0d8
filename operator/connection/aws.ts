import { APIGatewayClient, GetRestApiCommand } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import {
  GetAccountSettingsCommand,
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { stackNameOf } from '../../config/schema.ts';
import { consumerNames } from '../../lambdas/api/background-functions.ts';
import { queueNames } from '../../lambdas/api/queues.ts';
import type { SandboxFunctionName } from '../../lambdas/api/sandbox.ts';
import { logReaderOf } from '../../lambdas/runtime/log-queries.ts';
import { OperatorError } from '../error.ts';
import {
  type Integrations,
  integrationsOf,
  type Lags,
  type NeighbourAccess,
  portalBusLogicalName,
} from '../integrations/integrations.ts';
import {
  type Account,
  type Connection,
  readStoreTimeMs,
  storeOf,
  type Target,
  unreadablePolicy,
} from './connection.ts';
import { ipSetsOf } from './ip-sets.ts';
import { pseudonymsOf } from './pseudonyms.ts';
import { findResources, type PhysicalNames, patience, readBaseUrl } from './stack.ts';

/** Connects to a deployed stage with the standard credential chain. Throws if the credentials belong to another account. */
export const connectToAws = async (target: Target): Promise<Connection> => {
  const { stage, account, region, profile } = target;
  const settings = { ...patience, region, ...(profile && { profile }) };
  const stackName = stackNameOf(stage);
  const operator = await callerIn(account, stage, new STSClient(settings));
  const cloudFormation = new CloudFormationClient(settings);
  const physicalNamesOf = await findResources(cloudFormation, stackName);
  const client = new DynamoDBClient(settings);
  const store = storeOf(client, physicalNamesOf('AWS::DynamoDB::GlobalTable'));
  const ipSetIds = Object.values(physicalNamesOf('AWS::WAFv2::IPSet')).flatMap((id) => id ?? []);
  const ipSets = ipSetsOf(new WAFV2Client(settings), ipSetIds);
  const restApiId = physicalNamesOf('AWS::ApiGateway::RestApi').Api;
  const kms = new KMSClient(settings);
  const keyId = physicalNamesOf('AWS::KMS::Key').OwnerPseudonyms;
  const integrations = integrationsOf({
    sqs: new SQSClient(settings),
    events: new EventBridgeClient(settings),
    // The physical id of a queue in CloudFormation is its URL.
    queueUrls: physicalNamesOf('AWS::SQS::Queue'),
    portalBus: physicalNamesOf('AWS::Events::EventBus')[portalBusLogicalName],
  });
  const logGroups = physicalNamesOf('AWS::Logs::LogGroup');
  const { RequestLog: requestLogGroup } = logGroups;
  const log = new CloudWatchLogsClient(settings);
  return {
    store,
    integrations: { ...integrations, ...telemetryOf(settings, physicalNamesOf, integrations) },
    operator,
    stackName,
    requestLogGroup,
    queryLog: {
      requests: logReaderOf(log, () => requestLogGroup ?? throwMissingLog('requests')),
      access: logReaderOf(log, () => logGroups.AccessLog ?? throwMissingLog('accesses')),
      consumers: logReaderOf(log, () => logGroups.ConsumerLog ?? throwMissingLog('consumers')),
    },
    readStoreTimeMs: () => readStoreTimeMs(store),
    readPolicy: () => readPolicy(new APIGatewayClient(settings), restApiId),
    ipSets,
    pseudonymOf: pseudonymsOf(kms, keyId),
    readBaseUrl: () => readBaseUrl(cloudFormation, stackName),
    startSandbox: async () => {
      const FunctionName = `${stackName}-${'simulateHomes' satisfies SandboxFunctionName}`;
      // A run can take longer than this program waits for a response of AWS.
      await new LambdaClient(settings).send(new InvokeCommand({ FunctionName, InvocationType: 'Event' }));
    },
    close: () => {
      kms.destroy();
      ipSets?.close();
      client.destroy();
      log.destroy();
      integrations.close();
    },
  };
};

const throwMissingLog = (what: string): never => {
  throw new OperatorError(
    'error',
    `The stage has no log of ${what}. It was deployed from another version: deploy this one.`,
  );
};

/** Opens the account of a stage, which need not be deployed. Throws if the credentials belong to another account. */
export const openAwsAccount = async ({ stage, account, region, profile }: Target): Promise<Account> => {
  const settings = { ...patience, region, ...(profile && { profile }) };
  await callerIn(account, stage, new STSClient(settings));
  return { readConcurrencyQuota: () => readConcurrencyQuota(new LambdaClient(settings)) };
};

const readPolicy = async (client: APIGatewayClient, restApiId: string | undefined): Promise<unknown> => {
  const { policy } = await client.send(new GetRestApiCommand({ restApiId }));
  if (policy === undefined) return undefined;
  try {
    // API Gateway returns the policy as the content of a JSON string: `{\"Version\":…`, with escaped slashes.
    return JSON.parse(JSON.parse(`"${policy}"`));
  } catch {
    throw unreadablePolicy(`it is not escaped JSON: ${policy}`);
  }
};

const readConcurrencyQuota = async (client: LambdaClient): Promise<number | undefined> =>
  (await client.send(new GetAccountSettingsCommand({}))).AccountLimit?.ConcurrentExecutions;

type ClientSettings = Readonly<Record<string, unknown>> & { readonly region: string };

type Telemetry = Required<Pick<Integrations, 'readLags' | 'readMappings' | 'readNeighbourAccess'>>;

/** Reads lags, event source mappings and policies from AWS. In a local run, they do not exist. */
const telemetryOf = (
  settings: ClientSettings,
  physicalNamesOf: PhysicalNames,
  { sqs, urlOf }: Pick<Integrations, 'sqs' | 'urlOf'>,
): Telemetry => ({
  readLags: async () => {
    const client = new CloudWatchClient(settings);
    const relay = physicalNamesOf('AWS::Lambda::Function').IntegrationsConsumersrelayRequestedChangesFunction;
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        ...lastMinutes(),
        MetricDataQueries: [
          ...queueNames.map((name) =>
            metric(name, 'AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: nameIn(urlOf(name)) }),
          ),
          metric('relay', 'AWS/Lambda', 'IteratorAge', { FunctionName: relay ?? '' }),
        ],
      }),
    );
    // CloudWatch returns the newest value first.
    const lastOf = (id: string) => MetricDataResults.find(({ Id }) => Id === id)?.Values?.[0] ?? null;
    const iteratorAgeMs = lastOf('relay');
    return {
      oldest: Object.fromEntries(queueNames.map((name) => [name, lastOf(name)])) as Lags['oldest'],
      relay: iteratorAgeMs === null ? null : iteratorAgeMs / 1000,
    };
  },
  readMappings: () => {
    const client = new LambdaClient(settings);
    const ids = physicalNamesOf('AWS::Lambda::EventSourceMapping');
    return Promise.all(
      consumerNames.map(async (consumer) => {
        const UUID = ids[`IntegrationsConsumers${consumer}SourceMapping`];
        const mapping = await client.send(new GetEventSourceMappingCommand({ UUID }));
        const { State = 'unknown', EventSourceArn, LastProcessingResult } = mapping;
        return { consumer, state: State, sourceArn: EventSourceArn, lastResult: LastProcessingResult };
      }),
    );
  },
  readNeighbourAccess: async () => {
    const Name = physicalNamesOf('AWS::Events::EventBus')[portalBusLogicalName];
    const ofQueue = async (name: 'gatewayReports' | 'requestedChanges'): Promise<NeighbourAccess> => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['Policy'] }),
      );
      return { neighbour: 'gateway-backend', to: `queue ${name}`, isAllowed: hasAllowStatement(Attributes?.Policy) };
    };
    const { Policy } = await new EventBridgeClient(settings).send(new DescribeEventBusCommand({ Name }));
    return [
      { neighbour: 'portal', to: 'bus of the portal', isAllowed: hasAllowStatement(Policy) },
      await ofQueue('gatewayReports'),
      await ofQueue('requestedChanges'),
    ];
  },
});

const nameIn = (queueUrl: string): string => queueUrl.replace(/^.*\//, '');

const lookBackMs = 15 * 60_000;

const lastMinutes = () => ({ StartTime: new Date(Date.now() - lookBackMs), EndTime: new Date() });

const metric = (
  Id: string,
  Namespace: string,
  MetricName: string,
  dimensions: Readonly<Record<string, string>>,
): MetricDataQuery => ({
  Id,
  MetricStat: {
    Metric: { Namespace, MetricName, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) },
    Period: 60,
    Stat: 'Maximum',
  },
});

/** The policy that requires TLS, for example, has only Deny statements. */
const hasAllowStatement = (policy: string | undefined): boolean =>
  [JSON.parse(policy || '{}').Statement ?? []].flat().some(({ Effect }: { Effect: string }) => Effect === 'Allow');

/** Returns the caller's ARN. Throws if it is of another account, where a stack of the same name is another stage. */
export const callerIn = async (account: string, stage: string, sts: STSClient): Promise<string> => {
  const { Arn, Account } = await sts.send(new GetCallerIdentityCommand({}));
  if (!Arn) throw new OperatorError('error', 'AWS did not return the ARN of the caller, which the audit log needs.');
  if (Account !== account)
    throw new OperatorError(
      'refused',
      `The stage ${stage} is in account ${account} (config/${stage}.json), but the credentials are of account ${Account} (${Arn}). Log in there, or name another --profile.`,
    );
  return Arn;
};
