import { EventEmitter } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GenerateMacCommand,
  KMSClient,
  ListKeysCommand,
} from '@aws-sdk/client-kms';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccessKeys, principalInRole } from '../src/iam/principals.ts';
import { startLogService } from '../src/services/log-service.ts';
import { readMacKeys, startMacService } from '../src/services/mac-service.ts';
import { queueAccessOf } from '../src/services/queue-definitions.ts';
import { startQueueService } from '../src/services/queue-service.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import { arnOf, defaultEnvironment, defaultEnvironment as environment, rootArn } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

describe('queue access', () => {
  const q = 'arn:aws:sqs:eu-central-1:000000000000:q';
  const QueueUrl = 'http://127.0.0.1:1/000000000000/q';

  test.each([
    ['SendMessageBatch', { QueueUrl }, { action: 'sqs:sendmessage', resource: q }],
    ['GetQueueUrl', { QueueName: 'q' }, { action: 'sqs:getqueueurl', resource: q }],
    ['ListQueues', {}, { action: 'sqs:listqueues', resource: q.replace(/q$/, '*') }],
    ['ReceiveMessage', { QueueUrl, QueueName: 'other' }, { action: 'sqs:receivemessage', resource: q }],
  ])('%s with %j requires the permission for its action on its queue', (operation, body, access) => {
    expect(queueAccessOf(defaultEnvironment, operation, body)).toEqual(access);
  });

  test('an operation that changes what the template defines is an error that names it', () => {
    expect(() => queueAccessOf(defaultEnvironment, 'SetQueueAttributes', { QueueUrl })).toThrow(
      'the operation SetQueueAttributes of SQS',
    );
  });
});

describe('queue service', () => {
  const accessKeys = createAccessKeys();
  let QueueUrl: string;
  let client: SQSClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const service = await startQueueService({
      environment,
      accessKeys,
      events: new EventEmitter(),
      policyOf: () => () => 'allow',
    });
    const [name, url] = ['queue', `${service.endpoint}/${environment.accountId}/queue`];
    const arn = arnOf(environment, 'sqs', name);
    await service.define([{ constructName: name, name, arn, url, visibilityTimeoutSeconds: 30, attributes: {} }]);
    const accessKeyId = accessKeys.issue({
      arn: 'arn:aws:sts::000000000000:assumed-role/any/t',
      decide: () => 'allow',
    });
    client = new SQSClient({
      endpoint: service.endpoint,
      region: environment.region,
      credentials: { accessKeyId, secretAccessKey: 'any' },
    });
    QueueUrl = url;
    close = service.close;
  });
  afterAll(async () => {
    client.destroy();
    await close();
  });

  const send = (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  /** Receives and deletes a message of the queue, and returns its body. */
  const take = async () => {
    const { Messages: [message] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
    if (message) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    return message?.Body;
  };

  // The characters that SendMessage documents: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.
  test.each(['\t\n\r ~\u007f\u009f', '\ud7ff\ue000\ufdd0\ufffd', '🏠', '\u{10000}\u{1ffff}\u{10ffff}'])(
    'takes %j, as SQS does',
    async (text) => {
      await send(text);
      expect(await take()).toBe(text);
    },
  );

  test.each(['a\u0000', '\u0008', '\u001f', 'evening\ufffe', '\uffff'])('refuses %j, as SQS does', async (text) => {
    await expect(send(text)).rejects.toMatchObject({ name: expect.stringMatching(/InvalidMessageContents$/) });
    const Entries = ['🏠', text].map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
    const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(Failed).toMatchObject([{ Id: '1', Code: 'InvalidMessageContents', SenderFault: true }]);
    expect(await take()).toBe('🏠');
  });
});

describe('mac service', () => {
  const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
  const role = (Resource: unknown) => ({
    Type: 'AWS::IAM::Role',
    Properties: {
      Policies: [
        { PolicyName: 'p', PolicyDocument: { Statement: { Effect: 'Allow', Action: 'kms:GenerateMac', Resource } } },
      ],
    },
  });
  const owner = rootArn(stackOf({}).environment);
  const keyWith = (changes: object = {}, Principal: unknown = { AWS: owner }) => ({
    Type: 'AWS::KMS::Key',
    Properties: {
      KeySpec: 'HMAC_256',
      KeyUsage: 'GENERATE_VERIFY_MAC',
      KeyPolicy: { Statement: { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal } },
      ...changes,
    },
  });

  const stack = stackOf({ Key1: keyWith(), Key2: keyWith(), Role1: role(arn('Key1')), Role2: role('*') });
  const resolve = createResolver(stack);
  const accessKeys = createAccessKeys();
  let service: Awaited<ReturnType<typeof startMacService>>;
  beforeAll(async () => {
    const keys = readMacKeys(stack, resolve);
    service = await startMacService({ environment: stack.environment, accessKeys, keys: () => keys });
  });
  afterAll(() => service.close());

  const clientIn = (roleId: string | undefined) => {
    const roleArn = roleId && resolve<string>(arn(roleId));
    const principal = roleArn && principalInRole(stack.template, resolve, roleArn, 'f');
    const accessKeyId = principal ? accessKeys.issue(principal) : 'ASIA0';
    const credentials = { accessKeyId, secretAccessKey: 'any' };
    return new KMSClient({ endpoint: service.endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
  };
  const macOf = async (roleId: string | undefined, key: string, message = 'm') => {
    const KeyId = key.startsWith('Key') ? resolve<string>(arn(key)) : key;
    const command = new GenerateMacCommand({ KeyId, MacAlgorithm: 'HMAC_SHA_256', Message: Buffer.from(message) });
    const { Mac } = await clientIn(roleId).send(command);
    return Buffer.from(Mac as Uint8Array).toString('hex');
  };

  test('a code has 32 bytes, is the same each time, and differs by message and by key', async () => {
    const code = await macOf('Role2', 'Key1');
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    expect(await macOf('Role1', 'Key1')).toBe(code);
    expect(new Set([code, await macOf('Role2', 'Key1', 'n'), await macOf('Role2', 'Key2')]).size).toBe(3);
  });

  test('only a role that names a key can generate codes with it', async () => {
    await expect(macOf('Role1', 'Key2')).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringMatching(/assumed-role\/.*\/f is not authorized to perform: kms:GenerateMac on resource/),
    });
    await expect(macOf(undefined, 'Key1')).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
  });

  test('a disabled key computes nothing until it is enabled again, and says so', async () => {
    const KeyId = resolve<string>(arn('Key1'));
    const owner = accessKeys.issue({ arn: rootArn(stack.environment), decide: () => 'allow' });
    const kms = new KMSClient({
      endpoint: service.endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: owner, secretAccessKey: 'any' },
      maxAttempts: 1,
    });
    const state = async () => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata?.KeyState;
    const code = await macOf('Role1', 'Key1');
    await kms.send(new DisableKeyCommand({ KeyId }));
    expect(await state()).toBe('Disabled');
    await expect(macOf('Role1', 'Key1')).rejects.toMatchObject({ name: 'DisabledException' });
    expect(await macOf('Role2', 'Key2')).toMatch(/^[0-9a-f]{64}$/);
    await kms.send(new EnableKeyCommand({ KeyId }));
    expect(await state()).toBe('Enabled');
    expect(await macOf('Role1', 'Key1')).toBe(code);
    await expect(clientIn('Role1').send(new DisableKeyCommand({ KeyId }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });

  test('a key outside the stack, and a message that KMS refuses, are errors', async () => {
    await expect(macOf('Role2', 'arn:aws:kms:eu-central-1:000000000000:key/no')).rejects.toThrow('does not exist');
    await expect(macOf('Role2', 'Key1', 'm'.repeat(4097))).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(clientIn('Role2').send(new ListKeysCommand({}))).rejects.toThrow(
      'knows only DescribeKey, DisableKey, EnableKey, GenerateMac of KMS',
    );
  });

  test.each([
    ['of another kind', keyWith({ KeySpec: 'SYMMETRIC_DEFAULT' }), 'kind of the key Key1: SYMMETRIC_DEFAULT'],
    ['for another use', keyWith({ KeyUsage: 'ENCRYPT_DECRYPT' }), 'use of the key Key1: ENCRYPT_DECRYPT'],
    [
      'with another property',
      keyWith({ RotationPeriodInDays: 90 }),
      'property of Key1 (AWS::KMS::Key): RotationPeriodInDays',
    ],
    ['whose policy does not delegate to the account', keyWith({}, { AWS: '111122223333' }), 'does not allow kms:*'],
  ])('a key %s is an error that says so', (_, key, message) => {
    const other = stackOf({ Key1: key });
    expect(() => readMacKeys(other, createResolver(other))).toThrow(message);
  });
});

describe('log service', () => {
  const accessKeys = createAccessKeys();
  const logsDirectory = mkdtempSync(join(tmpdir(), 'log-service-'));
  const lines = [
    '2026-11-25T02:59:59.999Z',
    '2026-11-25T03:00:00Z',
    '2026-11-25T03:00:10.500Z',
    '2026-11-25T03:00:11Z',
  ];
  const group = 'arn:aws:logs:eu-central-1:000000000000:log-group:requests:*';
  let service: Awaited<ReturnType<typeof startLogService>>;
  beforeAll(async () => {
    const texts = lines.map((timestamp) => JSON.stringify({ timestamp, company: 'acme' }));
    // Neither a time nor JSON: has the time of the previous line.
    writeFileSync(join(logsDirectory, 'one.log'), `${texts.slice(0, 2).join('\n')}\nplain\n`);
    writeFileSync(join(logsDirectory, 'two.log'), `${texts.slice(2).join('\n')}\n`);
    const accesses = lines.map((time, index) => `${time} {"status":"${index}"}`);
    writeFileSync(join(logsDirectory, 'access.log'), accesses.join('\n'));
    writeFileSync(join(logsDirectory, 'other.log'), `${texts.join('\n')}\n`);
    const to = (logGroup: string, logStream: string) => ({ logGroup, logStream });
    const destinations = new Map([
      ['one', to('requests', 'a')],
      ['two', to('requests', 'b')],
      ['silent', to('requests', 'c')],
      ['other', to('others', 'd')],
      ['access', to('accesses', 'e')],
    ]);
    service = await startLogService({ environment, accessKeys, logsDirectory, destinations: () => destinations });
  });
  afterAll(() => service.close());

  /** Sends queries in a role that is granted these actions on these resources. */
  const ask = async (
    { page, ...query }: { readonly page?: object } & Readonly<Record<string, unknown>>,
    allowed: readonly string[] = [`logs:StartQuery ${group}`, 'logs:GetQueryResults *'],
  ) => {
    const accessKeyId = accessKeys.issue({
      arn: 'arn:aws:sts::000000000000:assumed-role/any/t',
      decide: ({ action, resource }) => (allowed.includes(`${action} ${resource}`) ? 'allow' : 'implicit deny'),
    });
    const client = new CloudWatchLogsClient({
      endpoint: service.endpoint,
      region: environment.region,
      credentials: { accessKeyId, secretAccessKey: 'any' },
    });
    const startTime = Date.parse('2026-11-25T03:00:00Z') / 1000;
    const asked = { logGroupName: 'requests', startTime, endTime: startTime + 10, queryString: 'fields company' };
    try {
      const { queryId } = await client.send(new StartQueryCommand({ ...asked, ...query }));
      const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId, ...page }));
      return { status, rows: results.map((row) => Object.fromEntries(row.map(({ field, value }) => [field, value]))) };
    } finally {
      client.destroy();
    }
  };

  test('queries the functions of a group, from the first second to the end of the last', async () => {
    expect(await ask({ queryString: 'fields @timestamp, company' })).toEqual({
      status: 'Complete',
      rows: [
        { '@timestamp': '2026-11-25 03:00:10.500', company: 'acme' },
        { '@timestamp': '2026-11-25 03:00:00.000', company: 'acme' },
        { '@timestamp': '2026-11-25 03:00:00.000' },
      ],
    });
    const counted = { queryString: 'stats count(*) as lines by company' };
    expect((await ask(counted)).rows).toEqual([{ company: 'acme', lines: '2' }, { lines: '1' }]);
    expect((await ask({ limit: 2 })).rows).toHaveLength(2);
  });

  test('queries the access log, whose lines the file has behind their times', async () => {
    const allowed = [`logs:StartQuery ${group.replace('requests', 'accesses')}`, 'logs:GetQueryResults *'];
    const query = { logGroupName: 'accesses', queryString: 'fields @timestamp, status, @message' };
    expect((await ask(query, allowed)).rows).toEqual([
      { '@timestamp': '2026-11-25 03:00:10.500', status: '2', '@message': '{"status":"2"}' },
      { '@timestamp': '2026-11-25 03:00:00.000', status: '1', '@message': '{"status":"1"}' },
    ]);
  });

  test('returns results page by page', async () => {
    const rows = (page: object) => ask({ queryString: 'fields @timestamp', page });
    expect((await rows({ maxItems: 2 })).rows).toHaveLength(2);
    expect((await rows({ maxItems: 2, nextToken: '2' })).rows).toHaveLength(1);
  });

  test.each([
    ['more rows than there may be', { limit: 100_001 }, undefined, 'InvalidParameterException'],
    ['a group that the role may not query', {}, ['logs:GetQueryResults *'], 'AccessDeniedException'],
    ['results that it may not read', {}, [`logs:StartQuery ${group}`], 'AccessDeniedException'],
    ['a group that nobody logs to', { logGroupName: 'none' }, undefined, 'AccessDeniedException'],
    ['what it does not understand', { queryString: 'guess company' }, undefined, 'MalformedQueryException'],
    ['a range that ends before it begins', { endTime: 0 }, undefined, 'InvalidParameterException'],
  ])('refuses %s', async (_, query, allowed, name) => {
    await expect(ask(query, allowed)).rejects.toMatchObject({ name });
  });
});
