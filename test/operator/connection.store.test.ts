import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { loadStack, resourcesOf } from 'serve-stack/template';
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { resourcePolicy } from '../../infra/api/admission.ts';
import { type ConsumerName, consumerNames } from '../../lambdas/api/background-functions.ts';
import { tables } from '../../lambdas/api/tables.ts';
import { createStore } from '../../lambdas/data/store/store.ts';
import { readDeployedPolicy } from '../../operator/companies/addresses.ts';
import { connectToAws, openAwsAccount } from '../../operator/connection/aws.ts';
import { readStoreTimeMs, type Target } from '../../operator/connection/connection.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { OperatorError } from '../../operator/error.ts';
import { operatorHost } from '../../operator/host.ts';
import { logicalNames, type StageQueue } from '../../operator/integrations/integrations.ts';
import { runOperator } from '../../operator/run.ts';
import { temporaryDirectory } from '../support/operator.ts';
import {
  asApiGatewayGives,
  identityOf,
  listOf,
  membersOf,
  searchedMembers,
  stackWith,
  startAws,
} from '../support/operator-roles.ts';
import { openWorld, startMs } from '../support/world.ts';

afterEach(() => vi.unstubAllEnvs());

const callerArn = 'arn:aws:sts::123456789012:assumed-role/Operator/jane';
const account = '123456789012';
const identity = identityOf(callerArn, account);
const target = { stage: 'prod', isLocal: false, account, region: 'eu-central-1' };

/** A stack as it is synthesized, with the physical ids `physical-<logical id>`. */
const { template } = loadStack(inject('assemblyDirectory'));
const members = membersOf(template.Resources);

type Answers = Parameters<typeof startAws>;

/** Connects to a stage whose account returns these responses, until the test is over. */
const connectTo = async (answers: Answers[0], answersByPath?: Answers[1]) => {
  const server = await startAws({ GetCallerIdentity: identity, ...answers }, answersByPath);
  onTestFinished(() => void server.close());
  const connection = await connectToAws(target);
  onTestFinished(() => connection.close());
  return connection;
};

const answering = (resources: readonly string[]): Answers[0] => ({ ListStackResources: () => listOf(resources) });

describe('to a trial', () => {
  /** Runs a command line on a trial; returns what it connects to, the configuration that it has, and what it writes. */
  const operateTrial = async (answers: Answers[0], region: string | undefined, more: readonly string[] = []) => {
    const server = await startAws(answers);
    onTestFinished(() => void server.close());
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
    vi.stubEnv('AWS_REGION', region);
    const stderr = new PassThrough();
    const connected: object[] = [];
    const connect = async (to: Target): Promise<never> => {
      connected.push(to);
      throw new OperatorError('error', 'seen');
    };
    const host = { ...operatorHost(), stdout: new PassThrough(), stderr, connect };
    await runOperator(['company', 'list', '--stage', 'trial', ...more], host);
    return { connected, host, said: String(stderr.read()) };
  };

  const outputs = { Account: '210987654321', Region: 'eu-west-1', Address: '93.184.216.34/32' };

  test('the outputs of its stack say in which account and region it is, and who may call it', async () => {
    const { connected, host } = await operateTrial({ DescribeStacks: () => stackWith(outputs) }, 'eu-central-1');
    expect(connected).toMatchObject([{ stage: 'trial', isLocal: false, account: '210987654321', region: 'eu-west-1' }]);
    const { companies } = (await host.findTrial('trial'))();
    expect(companies).toMatchObject([{ companyId: 'demo', allowedCidrs: ['93.184.216.34/32'] }]);
  });

  test.each<[string, Answers[0], string | undefined, string]>([
    [
      'that is not deployed',
      { DescribeStacks: () => [400, '<Error><Code>ValidationError</Code><Message>does not exist</Message></Error>'] },
      'eu-central-1',
      'There is no stack PartnerApi-trial in this account and region. To deploy the trial, run: npx cdk deploy --context stage=trial --context address="$(curl -s https://checkip.amazonaws.com)"\n',
    ],
    [
      'whose region nobody says',
      { DescribeStacks: () => stackWith(outputs) },
      undefined,
      'In which region is the trial? Set AWS_REGION, as for the CDK CLI.\n',
    ],
    [
      'of another version',
      { DescribeStacks: () => stackWith({}) },
      'eu-central-1',
      'The stack PartnerApi-trial has no output Account. Deploy this version.\n',
    ],
    [
      'that these credentials may not read',
      {
        DescribeStacks: () => [
          403,
          '<Error><Code>AccessDenied</Code><Message>jane is not authorized</Message></Error>',
        ],
      },
      'eu-central-1',
      'AWS denied access (jane is not authorized). A trial has no roles for operators: use the credentials that deployed it, or name a --profile of an administrator of the account.\n',
    ],
  ])('%s is refused with what to do', async (_, answers, region, sentence) => {
    const { connected, said } = await operateTrial(answers, region);
    expect([connected, said]).toEqual([[], sentence]);
  });

  test('is not looked for in a local run', async () => {
    const { said } = await operateTrial({}, 'eu-central-1', ['--local']);
    expect(said).toBe('--local is the stage "local", not "trial": leave out one of the two.\n');
  });
});

describe('to AWS', () => {
  test('finds the tables of the stack on all pages, and the caller', async () => {
    const { store, integrations, operator, stackName, requestLogGroup } = await connectTo({
      ListStackResources: (body) => {
        expect(body.get('StackName')).toBe('PartnerApi-prod');
        return body.get('NextToken')
          ? listOf(members.slice(5))
          : listOf(members.slice(0, 5), '<NextToken>more</NextToken>');
      },
    });
    expect([operator, stackName]).toEqual([callerArn, 'PartnerApi-prod']);
    expect(requestLogGroup).toMatch(/^physical-RequestLog[0-9A-F]{8}$/);
    for (const table of Object.keys(tables) as (keyof typeof tables)[])
      expect(store.tableName(table)).toMatch(new RegExp(`^physical-${table}[0-9A-F]{8}$`));
    for (const [queue, name] of Object.entries(logicalNames))
      expect(integrations.urlOf(queue as StageQueue)).toMatch(new RegExp(`^physical-${name}[0-9A-F]{8}$`));
  });

  const noStack =
    '<Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack does not exist</Message></Error>';
  const [anyResource = ''] = members;
  test.each<[string, Answers[0], object]>([
    [
      'credentials of another account, to which it sends no other call',
      { GetCallerIdentity: identityOf(callerArn, '999999999999') },
      {
        exitCode: 'refused',
        message: expect.stringMatching(/^The stage prod is in account 123456789012 .* are of account 999999999999 /),
      },
    ],
    [
      'a missing stack',
      { ListStackResources: () => [400, noStack] },
      { exitCode: 'not-found', message: expect.stringContaining('no stack PartnerApi-prod') },
    ],
    ['a stack without resources, from a change set that was never executed', answering([]), { exitCode: 'not-found' }],
    [
      'a stack of a version without one of the tables',
      answering([anyResource.replace(/ApiKeys/g, 'Old')]),
      { message: expect.stringContaining('has no table ApiKeys') },
    ],
  ])('reports %s', async (_, answers, expected) => {
    await expect(connectTo(answers)).rejects.toMatchObject(expected);
  });
});

describe('reads from AWS', () => {
  const [restApi] = resourcesOf(template, 'AWS::ApiGateway::RestApi');
  const apiPath = `/restapis/physical-${restApi?.logicalId}`;
  const stored = resourcePolicy(['192.0.2.0/28', '2001:db8:1::/48']).toJSON();
  const arn = 'arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5';
  const asGiven = (policy: object) => asApiGatewayGives(policy, arn);

  const connected = (answersByPath: Answers[1]) => connectTo(answering(searchedMembers(members)), answersByPath);
  const policyFrom = async (policy: unknown) =>
    readDeployedPolicy(await connected({ [apiPath]: [200, { id: 'a1b2c3d4e5', policy }] }));

  test('the deployed policy, with one block or several', async () => {
    const policy = await policyFrom(asGiven(stored));
    expect(policy.allowedCidrs).toEqual(['192.0.2.0/28', '2001:db8:1::/48']);
    expect(policy.lengthCharacters).toBeGreaterThan(JSON.stringify(stored).length);
    const text = JSON.stringify(resourcePolicy(['192.0.2.7/32']).toJSON());
    const one = JSON.parse(text.replace('["192.0.2.7/32"]', '"192.0.2.7"').replaceAll('{"AWS":"*"}', '"*"'));
    expect((await policyFrom(asGiven(one))).allowedCidrs).toEqual(['192.0.2.7/32']);
  });

  const withStatement = (change: object) => ({
    ...stored,
    Statement: [stored.Statement[1], { ...stored.Statement[0], ...change }],
  });
  test.each([
    ['none', undefined, 'has no resource policy: every address passes'],
    ['no JSON', '{\\"Version', 'is not escaped JSON: {'],
    ['no statement', asGiven({ Version: '2012-10-17' }), 'has no "Statement"'],
    [
      'a condition of another kind',
      asGiven(withStatement({ Condition: {} })),
      'its statement 2 is not one that the stack writes: {"Action"',
    ],
    ['one method only', asGiven(withStatement({ Resource: `${arn}/v1/GET/*` })), 'statement 2'],
    ['a denial of addresses', asGiven(withStatement({ Effect: 'Deny' })), 'statement 2'],
    [
      'what is no address',
      asGiven(withStatement({ Condition: { IpAddress: { 'aws:SourceIp': '192.0.2' } } })),
      'allows "192.0.2", which is not an address block',
    ],
  ])('throws for a policy with %s', async (_, policy, expected) => {
    await expect(policyFrom(policy)).rejects.toMatchObject({
      exitCode: 'error',
      message: expect.stringContaining(expected),
    });
  });

  describe('about integrations:', () => {
    const idOf = (name: string, type: string) => {
      const found = resourcesOf(template, type);
      return found.find(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === name)?.logicalId;
    };
    const integrationsOf = async (answers: Answers[1]) => {
      const { integrations } = await connected(answers);
      return integrations as Required<typeof integrations>;
    };

    test('the newest age of messages and records; null without messages or records', async () => {
      const MetricDataResults = [
        { Id: 'portalEvents', Values: [61, 5] },
        { Id: 'relay', Values: [1500, 3] },
      ];
      const { readLags } = await integrationsOf({
        'GraniteServiceVersion20100801.GetMetricData': [200, { MetricDataResults }],
      });
      expect(await readLags()).toEqual({
        oldest: { portalEvents: 61, gatewayReports: null, requestedChanges: null, webhookMessages: null },
        relay: 1.5,
      });
    });

    test('whether consumers are invoked', async () => {
      const pathOf = (consumer: string) =>
        `/2015-03-31/event-source-mappings/physical-${idOf(`IntegrationsConsumers${consumer}SourceMapping`, 'AWS::Lambda::EventSourceMapping')}`;
      const stateOf = (consumer: ConsumerName) => (consumer === 'takePortalEvents' ? 'Disabled' : 'Enabled');
      const { readMappings } = await integrationsOf(
        Object.fromEntries(
          consumerNames.map((name) => [
            pathOf(name),
            [200, { State: stateOf(name), EventSourceArn: `arn:${name}`, LastProcessingResult: 'OK' }],
          ]),
        ),
      );
      expect(await readMappings()).toEqual(
        consumerNames.map((consumer) => ({
          consumer,
          state: stateOf(consumer),
          sourceArn: `arn:${consumer}`,
          lastResult: 'OK',
        })),
      );
    });

    const denies = { Effect: 'Deny', Principal: '*', Action: 'sqs:*' };
    const allows = { Effect: 'Allow', Principal: { AWS: 'a' }, Action: 'sqs:SendMessage' };
    test.each([
      [{}, false],
      [{ Policy: JSON.stringify({ Statement: [denies] }) }, false],
      [{ Policy: JSON.stringify({ Statement: allows }) }, true],
      [{ Policy: JSON.stringify({ Statement: [denies, allows] }) }, true],
    ])('whether policies allow access: %j', async (policy, isAllowed) => {
      const { readNeighbourAccess } = await integrationsOf({
        'AWSEvents.DescribeEventBus': [200, policy],
        'AmazonSQS.GetQueueAttributes': [200, { Attributes: policy }],
      });
      expect(await readNeighbourAccess()).toEqual([
        { neighbour: 'portal', to: 'bus of the portal', isAllowed },
        { neighbour: 'gateway-backend', to: 'queue gatewayReports', isAllowed },
        { neighbour: 'gateway-backend', to: 'queue requestedChanges', isAllowed },
      ]);
    });

    test('the error of a bus that rejects an event', async () => {
      const refused = { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure', ErrorMessage: 'try again' }] };
      const { putPortalEvent } = await integrationsOf({ 'AWSEvents.PutEvents': [200, refused] });
      await expect(putPortalEvent({ type: 't', text: '{}' })).rejects.toThrow('InternalFailure: try again');
    });

    test('the error of a stage that was deployed without queues', async () => {
      const tablesOnly = members.filter((member) => !/SQS|EventBus/.test(member));
      const { integrations } = await connectTo(answering(tablesOnly));
      expect(() => integrations.urlOf('portalEvents')).toThrow('has no queue portalEvents');
      await expect(integrations.putPortalEvent({ type: 't', text: '{}' })).rejects.toThrow('has no bus of the portal');
    });
  });

  test('that Lambda has accepted a run of the sandbox', async () => {
    const path = '/2015-03-31/functions/PartnerApi-prod-simulateHomes/invocations';
    const { startSandbox } = await connected({ [path]: [202, {}] });
    await expect(startSandbox?.()).resolves.toBeUndefined();
  });

  test('the maximum number of concurrent executions of the account', async () => {
    const settings = { AccountLimit: { ConcurrentExecutions: 1000 } };
    await connected({ '/2016-08-19/account-settings': [200, settings] });
    const { readConcurrencyQuota } = await openAwsAccount(target);
    expect(await readConcurrencyQuota?.()).toBe(1000);
  });
});

test('the time of the store comes from its response, rounded up to whole seconds', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { date: new Date(startMs).toUTCString(), 'content-type': 'application/x-amz-json-1.0' });
    response.end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient(clientConfigOf(`http://127.0.0.1:${port}`));
  expect(await readStoreTimeMs(createStore(client, (table) => table))).toBe(startMs + 1000);
  client.destroy();
  server.close();
});

test('reads the time of the store', async () => {
  const { store } = await openWorld();
  expect(new Date(await readStoreTimeMs(store)).toISOString()).toMatch(/^20\d\d-/);
});

describe('to the local run', () => {
  test('reports that no local run is up', async () => {
    await expect(connectToLocalRun(temporaryDirectory())).rejects.toMatchObject({
      exitCode: 'unavailable',
      message: expect.stringContaining('npm start'),
    });
  });

  const nowhere = 'http://127.0.0.1:9';
  const brokenOff = {
    stackName: 's',
    dynamoDbEndpoint: nowhere,
    region: 'r',
    tables: {},
    logsDirectory: 'l',
    baseUrl: 'https://localhost:1/v1',
    caFile: 'c',
    messaging: {
      queueEndpoint: nowhere,
      eventEndpoint: nowhere,
      logEndpoint: nowhere,
      requestLog: 'l',
      accessLog: 'l',
      consumerLog: 'l',
      queueUrls: {},
      portalBus: 'b',
      ipSetEndpoint: nowhere,
      ipSets: [],
      macEndpoint: 'http://127.0.0.1:9',
      macKeys: {},
      credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    },
  };
  const doesNotSay = /operator\.json does not describe how to reach .* start it again, which rewrites/;
  test.each([
    ['{"stackName":"Partn', doesNotSay],
    ['', doesNotSay],
    ['{}', doesNotSay],
    [JSON.stringify(brokenOff), /interrupted/],
  ])('names the remedy for a file that does not describe the run: %s', async (content, expected) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'operator.json'), content);
    await expect(connectToLocalRun(directory)).rejects.toMatchObject({
      exitCode: 'unavailable',
      message: expect.stringMatching(expected),
    });
  });
});
