import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { companyIn, type Demo } from '../../local/demo/demo-world.ts';
import { demoOf, startMain } from '../../test/local/main-run.ts';
import { campaign, playRounds } from '../../test/support/campaign.ts';
import { below, seededNumbers } from '../../test/support/random.ts';
import { breakRequest, type GoodRequest, sendBroken, type Target } from './broken-requests.ts';

/** The number of requests per round, and of concurrent requests. */
const roundSize = 500;
const width = 50;

/** The memory growth that a run may have after all requests: a leak of 20 kB per request exceeds it. */
const allowedGrowthMegabytes = 150;

/** Connections that a run keeps open to its own store, queues and functions. */
const allowedSockets = 150;

test(
  `${roundSize} broken and interrupted requests a round: the run continues unaffected`,
  campaign,
  async (context) => {
    const run = startMain(['--port', '0', '--without-fleet']);
    const demo = await demoOf(run);
    const pid = run.child.pid as number;
    const operatorFile = join(run.cwd, '.local/operator.json');
    const named = targetsOf(demo, operatorFile);
    // Builds the pages, and starts each function.
    const before = { answers: await finalAnswersOf(named), ...(await settled(pid, Number.POSITIVE_INFINITY)) };
    const targets = [...named, ...unnamedTargets(pid, named, operatorFile)];

    await playRounds(context, { test: 2, seconds: 120, full: 20 }, async (seed) => {
      const random = seededNumbers(seed);
      const hasEnded = () => run.child.exitCode !== null;
      const sendOn = async (left: { count: number }) => {
        while (left.count-- > 0 && !hasEnded()) {
          const target = targets[below(random, targets.length)] as Target;
          await sendBroken(target.port, breakRequest(random, target));
        }
      };
      const left = { count: roundSize };
      await Promise.all(Array.from({ length: width }, () => sendOn(left)));
      expect({ exitCode: run.child.exitCode, stderr: run.output.stderr }).toEqual({ exitCode: null, stderr: '' });
    });

    expect(await finalAnswersOf(named)).toEqual(before.answers);
    const after = await settled(pid, before.sockets + allowedSockets);
    expect(after.megabytes).toBeLessThan(before.megabytes + allowedGrowthMegabytes);
    await context.annotate(
      `${targets.length} servers; before ${before.megabytes} MB and ${before.sockets} sockets, after ${after.megabytes} MB and ${after.sockets}`,
    );
    expect(run.output.stdout).not.toMatch(/^A request got no answer/m);
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  },
);

type Calls = Readonly<Record<string, object>>;

/** Requests to a service of AWS, by operation. */
const callsOf = (version: string, accessKeyId: string, calls: Calls): GoodRequest[] =>
  Object.entries(calls).map(([operation, body]) => ({
    method: 'POST',
    path: '/',
    headers: [
      `x-amz-target: ${operation}`,
      `content-type: application/x-amz-json-${version}`,
      `authorization: AWS4-HMAC-SHA256 Credential=${accessKeyId}/`,
    ],
    body: JSON.stringify(body),
  }));

/** The servers that the files of a run name, each with requests that it answers. */
const targetsOf = (demo: Demo, operatorFile: string): Target[] => {
  const { messaging } = JSON.parse(readFileSync(operatorFile, 'utf8'));
  const { apiKey, userId, gateways } = companyIn(demo, 'acme');
  const json = 'content-type: application/json';
  const keys = [`x-api-key: ${apiKey}`, `x-user-id: ${userId}`];
  const circuit = `/v1/hvacs/${gateways[0]?.gatewayId}/heatingCircuits/hc1`;
  const get = (path: string): GoodRequest => ({ method: 'GET', path, headers: keys, body: '' });
  const service = (name: string, endpoint: string, version: string, calls: Calls): Target => ({
    name,
    port: Number(new URL(endpoint).port),
    isTls: false,
    requests: callsOf(version, messaging.credentials.accessKeyId, calls),
  });
  const [queueUrl] = Object.values(messaging.queueUrls);
  const [physicalId = ''] = messaging.ipSets as string[];
  const [Name, Id] = physicalId.split('|');
  const event = { EventBusName: messaging.portalBus, Source: 'test', DetailType: 'test', Detail: '{}' };
  const range = { startTime: 0, endTime: 2_000_000_000 };
  return [
    {
      name: 'gateway and pages',
      port: Number(new URL(demo.baseUrl).port),
      isTls: true,
      requests: [
        get('/v1/contract'),
        get(circuit),
        { method: 'PATCH', path: circuit, headers: [...keys, json], body: '{"roomSetpointCelsius":21}' },
        { method: 'POST', path: '/v1/api-keys', headers: [...keys, json], body: '{"acess":"read"}' },
        get('/v1/nowhere'),
        get('/docs'),
        get('/docs/'),
        get('/docs/openapi.json'),
      ],
    },
    service('queues', messaging.queueEndpoint, '1.0', {
      'AmazonSQS.ListQueues': {},
      'AmazonSQS.GetQueueAttributes': { QueueUrl: queueUrl, AttributeNames: ['All'] },
      'AmazonSQS.ReceiveMessage': { QueueUrl: queueUrl, VisibilityTimeout: 0 },
      'AmazonSQS.ListMessageMoveTasks': { SourceArn: 'arn:aws:sqs:eu-central-1:000000000000:none' },
    }),
    service('bus', messaging.eventEndpoint, '1.1', { 'AWSEvents.PutEvents': { Entries: [event] } }),
    service('logs', messaging.logEndpoint, '1.1', {
      'Logs_20140328.StartQuery': {
        ...range,
        logGroupName: messaging.requestLog,
        queryString: 'fields @message | limit 1',
      },
      'Logs_20140328.GetQueryResults': { queryId: 'none' },
    }),
    service('IP sets', messaging.ipSetEndpoint, '1.1', { 'AWSWAF_20190729.GetIPSet': { Name, Id, Scope: 'REGIONAL' } }),
    service('keys', messaging.macEndpoint, '1.1', {
      'TrentService.GenerateMac': {
        KeyId: Object.values(messaging.macKeys)[0],
        MacAlgorithm: 'HMAC_SHA_256',
        Message: 'aGVsbG8=',
      },
    }),
  ];
};

/** All other ports on which the process listens: the store proxy, the queue engine, the receiver and one per function. */
const unnamedTargets = (pid: number, named: readonly Target[], operatorFile: string): Target[] => {
  const { messaging, tables } = JSON.parse(readFileSync(operatorFile, 'utf8'));
  const storeCalls = callsOf('1.0', messaging.credentials.accessKeyId, {
    'DynamoDB_20120810.GetItem': { TableName: tables.ApiKeys, Key: { keyHash: { S: 'none' } } },
  });
  const others = listeningPorts(pid).filter((port) => !named.some((target) => target.port === port));
  const requests = [...named.flatMap((target) => target.requests), ...storeCalls];
  return others.flatMap((port) => [false, true].map((isTls) => ({ name: `port ${port}`, port, isTls, requests })));
};

/**
 * Returns the first answers without 429 and 5xx: requests of a round that were not broken may have emptied a bucket, and a slow
 * machine causes 5xx through the servers' own timeouts.
 */
const finalAnswersOf = async (targets: readonly Target[]): Promise<string[]> => {
  for (;;) {
    const answers = await answersOf(targets);
    if (!answers.some((answer) => /: (429|5\d\d)$/.test(answer))) return answers;
    await wait(1000);
  }
};

const answersOf = (targets: readonly Target[]): Promise<string[]> =>
  Promise.all(
    targets.flatMap((target) =>
      target.requests.map(
        async (request) => `${target.name}, ${request.method} ${request.path}: ${await statusOf(target, request)}`,
      ),
    ),
  );

const statusOf = ({ port, isTls }: Target, { method, path, headers, body }: GoodRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const lines = Object.fromEntries(headers.map((line) => line.split(/: (.*)/s, 2)));
    const options = { host: '127.0.0.1', port, method, path, headers: lines, agent: false };
    const outgoing = isTls ? tlsRequest({ ...options, rejectUnauthorized: false }) : plainRequest(options);
    outgoing.on('response', async (response) => {
      await text(response);
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', reject).end(body);
  });

/** Waits until the process has at most this many sockets, and returns its sockets and memory. */
const settled = async (pid: number, mostSockets: number) => {
  for (;;) {
    const held = { sockets: socketsOf(pid).length, megabytes: residentMegabytes(pid) };
    if (held.sockets <= mostSockets) return held;
    await wait(200);
  }
};

const hasProc = existsSync('/proc/self/fd');

const residentMegabytes = (pid: number): number =>
  hasProc ? Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024) : 0;

/** Returns the inodes of a process's sockets; an empty list where there is no `/proc`. */
const socketsOf = (pid: number): string[] => {
  if (!hasProc) return [];
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
};

const listeningPorts = (pid: number): number[] => {
  if (!hasProc) return [];
  const own = new Set(socketsOf(pid));
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && own.has(inode))
    .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16));
};
