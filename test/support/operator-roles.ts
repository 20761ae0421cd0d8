import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { startDynamoDbProxy } from 'serve-stack/dynamodb';
import {
  createAccessKeys,
  type PolicyRequest,
  type Principal,
  principalInRole,
  readIpSets,
  readQueues,
  startIpSetService,
  startMacService,
} from 'serve-stack/services';
import {
  arnOf,
  constructNamesOf,
  createResolver,
  loadStack,
  type Resource,
  resourcesOf,
  tablesIn,
} from 'serve-stack/template';
import { inject, vi } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { policyOf } from '../../infra/api/admission.ts';
import type { QueryLog } from '../../lambdas/runtime/log-queries.ts';
import { type Role, roleNameOf, roles } from '../../operator/cli/roles.ts';
import { connectToAws, openAwsAccount } from '../../operator/connection/aws.ts';
import { logicalNames, portalBusLogicalName, type StageQueue } from '../../operator/integrations/integrations.ts';
import { appWith } from '../infra/synthesized.ts';
import { type OperatorOptions, operate } from './operator.ts';
import { openIntegrations } from './operator-integrations.ts';
import { startPointInTimeRecovery } from './point-in-time.ts';
import { startMs, type World } from './world.ts';

/**
 * The tables of the world and the other AWS services that the operator's program calls, behind the roles of the synthesized
 * template: the policy of the calling role decides each call. The stage is the local one as a sandbox and with its allowlist in
 * AWS WAF, which needs more permissions.
 */
export const openOperatorRoles = async (world: World) => {
  const { neighbours: _, ...local } = loadStageConfig('local');
  const config: StageConfig = { ...local, allowlist: 'waf', simulatedHomes: 1 };
  const stack = loadStack((await appWith(config, { stage: 'local' })).synth().directory);
  const { environment, template } = stack;
  const prefix = world.store.tableName('ApiKeys').slice(0, -'ApiKeys'.length);
  const accessKeys = createAccessKeys();
  const opened = await openIntegrations(accessKeys, stack);
  const resolve = createResolver(stack, { tablePrefix: prefix, queueEndpoint: opened.queueEndpoint });
  const queues = readQueues(template, resolve);
  const asked = new Set<string>();
  const window = { earliestMs: 0, latestMs: startMs };
  const recovery = await startPointInTimeRecovery(inject('dynamoDbEndpoint'), window);
  const proxy = await startDynamoDbProxy(recovery.endpoint, { environment, accessKeys });

  const arnOfUrl = (queueUrl: string) => queues.find(({ url }) => url === queueUrl)?.arn ?? '';
  const queueNames = new Map<string, string>([
    ...(Object.keys(logicalNames) as StageQueue[]).map((queue) => [arnOfUrl(opened.urlOf(queue)), queue] as const),
    [arnOfUrl(opened.integrations.urlOfControls()), 'sandboxControls'],
  ]);

  /** Evaluates the policy of the role, and records each requested action, with table names without their prefix. */
  const principalIn = (role: Role): Principal => {
    const roleArn = `arn:aws:iam::${environment.accountId}:role/${roleNameOf('local', role)}`;
    const { arn, decide } = principalInRole(template, resolve, roleArn, 'jane');
    const decideAndKeep = (request: PolicyRequest) => {
      asked.add(nameOf(request, prefix, queueNames));
      return decide(request);
    };
    return { arn, decide: decideAndKeep };
  };
  const principals = Object.fromEntries(roles.map((role) => [role, principalIn(role)])) as Record<Role, Principal>;
  const accessKeyIds = Object.fromEntries(
    roles.map((role) => [role, proxy.issueAccessKeyId(principals[role])]),
  ) as Record<Role, string>;

  const keyArns = resourcesOf(template, 'AWS::KMS::Key').map(({ logicalId }) =>
    resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
  );
  const keys = new Map(keyArns.map((arn) => [arn, () => 'implicit deny' as const]));
  const mac = await startMacService({ environment, accessKeys, keys: () => keys });
  const waf = await startIpSetService({ environment, accessKeys });
  const takeNewIpSets = () => {
    waf.define([]);
    waf.define(readIpSets(stack, resolve));
  };
  takeNewIpSets();
  const policy = policyOf(config).toJSON();
  const [restApi] = resourcesOf(template, 'AWS::ApiGateway::RestApi');
  const apiId = resolve<string>({ Ref: restApi?.logicalId });
  const apiPath = `/restapis/${apiId}`;
  const settingsPath = '/2016-08-19/account-settings';
  const tableNames = constructNamesOf(tablesIn(template));
  const physicalIdOf = (logicalId: string) => {
    const table = tableNames.get(logicalId);
    if (table !== undefined) return prefix + table;
    if (template.Resources[logicalId]?.Type === 'AWS::KMS::Key')
      return resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] });
    if (namedByTemplate.test(logicalId)) return resolve<string>({ Ref: logicalId });
    return logicalId === restApi?.logicalId ? apiId : `physical-${logicalId}`;
  };
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
    ({ logicalId }) => [`/2015-03-31/event-source-mappings/${logicalId}`, logicalId] as const,
  );
  const bus = resourcesOf(template, 'AWS::Events::EventBus').find(({ logicalId }) =>
    logicalId.startsWith(portalBusLogicalName),
  );
  const busArn = resolve<string>({ 'Fn::GetAtt': [bus?.logicalId ?? '', 'Arn'] });
  const requestsTo: Readonly<Record<string, PolicyRequest>> = {
    ListStackResources: {
      action: 'cloudformation:ListStackResources',
      resource: arnOf(environment, 'cloudformation', `stack/${stack.name}/0123`),
    },
    DescribeStacks: {
      action: 'cloudformation:DescribeStacks',
      resource: arnOf(environment, 'cloudformation', `stack/${stack.name}/0123`),
    },
    [apiPath]: {
      action: 'apigateway:GET',
      resource: `arn:aws:apigateway:${environment.region}::${apiPath}`,
    },
    [settingsPath]: { action: 'lambda:GetAccountSettings', resource: '*' },
    [metricsTarget]: { action: 'cloudwatch:GetMetricData', resource: '*' },
    'AWSEvents.DescribeEventBus': { action: 'events:DescribeEventBus', resource: busArn },
    'AWSEvents.PutEvents': { action: 'events:PutEvents', resource: busArn },
    'Logs_20140328.GetQueryResults': { action: 'logs:GetQueryResults', resource: '*' },
    ...Object.fromEntries(
      mappings.map(([path, id]) => [
        path,
        {
          action: 'lambda:GetEventSourceMapping',
          resource: arnOf(environment, 'lambda', `event-source-mapping:${id}`),
        },
      ]),
    ),
  };
  const requestOf = (what: string, body: string): PolicyRequest | undefined => {
    if (what !== startQuery) return requestsTo[what];
    const { logGroupName } = JSON.parse(body) as { readonly logGroupName: string };
    return { action: 'logs:StartQuery', resource: arnOf(environment, 'logs', `log-group:${logGroupName}:*`) };
  };
  const members = searchedMembers(membersOf(template.Resources, physicalIdOf));
  const server = await startAws(
    {
      GetCallerIdentity: identityOf(principals.operator.arn, environment.accountId),
      // No server listens on this port.
      DescribeStacks: () => stackWith({ BaseUrl: 'https://localhost:1/v1' }),
      ListStackResources: () => listOf(members),
    },
    {
      [apiPath]: [200, { policy: asApiGatewayGives(policy, arnOf(environment, 'execute-api', apiId)) }],
      [settingsPath]: [200, { AccountLimit: { ConcurrentExecutions: 1000 } }],
      [metricsTarget]: [200, { MetricDataResults: [] }],
      'AWSEvents.DescribeEventBus': [200, {}],
      [startQuery]: [200, { queryId: 'q' }],
      'Logs_20140328.GetQueryResults': [200, { status: 'Complete', results: [] }],
      'AWSEvents.PutEvents': [200, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] }],
      ...Object.fromEntries(mappings.map(([path]) => [path, [200, { State: 'Enabled' }]])),
    },
    ({ accessKeyId, what, body }) => {
      // Every identity may call GetCallerIdentity.
      if (what === 'GetCallerIdentity') return undefined;
      const role = roles.find((each) => accessKeyIds[each] === accessKeyId) ?? 'reader';
      const request = requestOf(what, body);
      if (request && principals[role].decide(request) === 'allow') return undefined;
      return `${role} is not authorized to perform: ${request?.action ?? what}`;
    },
  );
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', proxy.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', opened.queueEndpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_WAFV2', waf.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', mac.endpoint);

  return {
    accessKeyIds,
    proxy,
    integrations: opened,
    takeNewIpSets,
    /** Runs a command line with the credentials of a role; returns the requested actions. */
    operateAs: async (role: Role, commandLine: readonly string[], options: OperatorOptions & Hooks) => {
      asked.clear();
      vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyIds[role]);
      const connect: OperatorOptions['connect'] = async (target) => {
        const connection = await connectToAws(target);
        const send: typeof connection.store.send = async (command: never, ...rest: never[]) => {
          if ((command as object) instanceof TransactWriteCommand) await options.beforeWrite?.();
          return connection.store.send(command, ...rest) as never;
        };
        // The service starts each query and finds nothing; the run has the rows.
        const asked =
          (name: keyof typeof connection.queryLog): QueryLog =>
          async (...question) => {
            const rows = await connection.queryLog[name](...question);
            return options.connection?.queryLog?.[name](...question) ?? rows;
          };
        const queryLog = { requests: asked('requests'), access: asked('access'), consumers: asked('consumers') };
        return { ...connection, queryLog, store: { ...connection.store, send } };
      };
      const run = await operate(commandLine, { ...options, connect, openAccount: openAwsAccount });
      return { ...run, asked: [...asked] };
    },
    close: async () => {
      vi.unstubAllEnvs();
      server.close();
      await proxy.close();
      recovery.close();
      await waf.close();
      await mac.close();
      await opened.close();
    },
  };
};

type Hooks = {
  /** Runs before a transaction is sent. */
  readonly beforeWrite?: () => Promise<unknown>;
};

/** Their ids are known in advance. */
const namedByTemplate =
  /^(Integrations.*(Queue|DeadLetters|Undelivered|Failures|Bus|Mapping)|SandboxControls|WebAclAddresses\w+|(Request|Access|Consumer)Log)[0-9A-F]{8}$/;

const startQuery = 'Logs_20140328.StartQuery';

const metricsTarget = 'GraniteServiceVersion20100801.GetMetricData';

/** `dynamodb:Query on AuditLog/index/byUser`, `sqs:sendmessage on portalEvents`, `apigateway:GET`. */
const nameOf = (
  { action, resource }: PolicyRequest,
  prefix: string,
  queueNames: ReadonlyMap<string, string>,
): string => {
  const [, target] = resource.split(`:table/${prefix}`);
  if (/:table\/PartnerApi-local-restored-/.test(resource)) return `${action} on RestoredTables`;
  const name = target ?? queueNames.get(resource);
  return name === undefined ? action : `${action} on ${name}`;
};

/**
 * Statuses and bodies: XML by the action of AWS's query protocol, JSON by the path of its REST protocols and by the target of
 * its JSON protocol, such as `AWSEvents.PutEvents`.
 */
type QueryAnswers = Readonly<Record<string, (body: URLSearchParams) => readonly [number, string]>>;
type RestAnswers = Readonly<Record<string, readonly [number, unknown]>>;

/** Called before each response with the caller, service, query action, path or target, and body. A text denies the call. */
type Authorize = (call: { accessKeyId: string; service: string; what: string; body: string }) => string | undefined;

/** Serves the AWS services other than DynamoDB. The SDK uses it, with credentials, until `vi.unstubAllEnvs`. */
export const startAws = async (
  answers: QueryAnswers,
  answersByPath: RestAnswers = {},
  authorize: Authorize = () => undefined,
) => {
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? request.url);
    const [restStatus, json] = answersByPath[target] ?? [];
    const sent = await text(request);
    const body = new URLSearchParams(sent);
    const action = body.get('Action') ?? '';
    const refusal = authorize({ ...callerOf(request), what: restStatus ? target : action, body: sent });
    if (restStatus) {
      const headers = { 'content-type': 'application/json', ...(refusal && { 'x-amzn-errortype': 'AccessDenied' }) };
      response.writeHead(refusal ? 403 : restStatus, headers);
      response.end(JSON.stringify(refusal ? { message: refusal } : json));
      return;
    }
    const [status, content] = refusal ? denied(refusal) : (answers[action]?.(body) ?? [400, '']);
    const result = status === 200 ? `<${action}Result>${content}</${action}Result>` : content;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<${action}Response>${result}</${action}Response>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const service of [
    'CLOUDFORMATION',
    'STS',
    'API_GATEWAY',
    'LAMBDA',
    'CLOUDWATCH',
    'CLOUDWATCH_LOGS',
    'EVENTBRIDGE',
    'SQS',
  ])
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return server;
};

const callerOf = ({ headers }: IncomingMessage) => {
  const [, accessKeyId = '', service = ''] =
    headers.authorization?.match(/Credential=(\w+)\/\d+\/[^/]+\/(\w+)\//) ?? [];
  return { accessKeyId, service };
};

const denied = (message: string) =>
  [403, `<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error>`] as const;

export const identityOf = (arn: string, account: string) => () =>
  [200, `<Arn>${arn}</Arn><Account>${account}</Account>`] as const;

/** The resources of a stack as ListStackResources returns them. */
export const membersOf = (
  resources: Readonly<Record<string, Resource>>,
  physicalIdOf = (logicalId: string) => `physical-${logicalId}`,
) =>
  Object.entries(resources).map(
    ([logicalId, { Type }]) =>
      `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>${physicalIdOf(logicalId)}</PhysicalResourceId><ResourceType>${Type}</ResourceType></member>`,
  );

/** The resources that the operator's program looks for. */
export const searchedMembers = (members: readonly string[]) =>
  members.filter((member) => /DynamoDB|KMS|SQS|Events|EventSourceMapping|IPSet|RestApi<|Logs/.test(member));

export const listOf = (members: readonly string[], next = '') =>
  [200, `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next}`] as const;

/** A stack with outputs as DescribeStacks returns it. */
export const stackWith = (outputs: Readonly<Record<string, string>>) => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return [200, `<Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks>`] as const;
};

/** A policy as API Gateway returns it: the content of a JSON string with escaped slashes, and with the full ARN of the API. */
export const asApiGatewayGives = (policy: object, apiArn: string): string =>
  JSON.stringify(JSON.stringify(policy).replaceAll('execute-api:/', `${apiArn}/`))
    .slice(1, -1)
    .replaceAll('/', '\\/');
