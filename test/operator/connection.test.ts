import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { tables } from '../../lambdas/api/tables.ts';
import { tableName } from '../../lambdas/data/environment.ts';
import { loadStack } from '../../local/template/template.ts';
import { connectToAws } from '../../operator/connection/aws.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { temporaryDirectory } from '../support/operator.ts';

afterEach(() => vi.unstubAllEnvs());

/** Answers as AWS's query protocol does, from what each action is to say. */
const startAws = async (answers: Readonly<Record<string, (body: URLSearchParams) => readonly [number, string]>>) => {
  const server = createServer(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    const action = body.get('Action') ?? '';
    const [status, content] = answers[action]?.(body) ?? [400, ''];
    const result = status === 200 ? `<${action}Result>${content}</${action}Result>` : content;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(`<${action}Response>${result}</${action}Response>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const service of ['CLOUDFORMATION', 'STS']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return server;
};

const callerArn = 'arn:aws:sts::123456789012:assumed-role/Operator/jane';
const identity = () => [200, `<Arn>${callerArn}</Arn>`] as const;
const target = { stage: 'prod', isLocal: false, region: 'eu-central-1' };

describe('to AWS', () => {
  test('finds the tables of the stack over all pages, and who is calling', async () => {
    const { template } = loadStack(inject('assemblyDirectory'));
    const members = Object.entries(template.Resources).map(
      ([logicalId, { Type }]) =>
        `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>physical-${logicalId}</PhysicalResourceId><ResourceType>${Type}</ResourceType></member>`,
    );
    const list = (shown: string[], next: string) =>
      [200, `<StackResourceSummaries>${shown.join('')}</StackResourceSummaries>${next}`] as const;
    const server = await startAws({
      GetCallerIdentity: identity,
      ListStackResources: (body) => {
        expect(body.get('StackName')).toBe('PartnerApi-prod');
        return body.get('NextToken')
          ? list(members.slice(5), '')
          : list(members.slice(0, 5), '<NextToken>more</NextToken>');
      },
    });
    const { operator, stackName, close } = await connectToAws(target);
    expect([operator, stackName]).toEqual([callerArn, 'PartnerApi-prod']);
    for (const table of Object.keys(tables) as (keyof typeof tables)[])
      expect(tableName(table)).toMatch(new RegExp(`^physical-${table}[0-9A-F]{8}$`));
    close();
    server.close();
  });

  test('says so where there is no such stack', async () => {
    const server = await startAws({
      GetCallerIdentity: identity,
      ListStackResources: () => [
        400,
        '<Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack does not exist</Message></Error>',
      ],
    });
    await expect(connectToAws(target)).rejects.toMatchObject({
      exitCode: 'not-found',
      message: expect.stringContaining('no stack PartnerApi-prod'),
    });
    server.close();
  });

  test('says so where the stack is of a version without one of the tables', async () => {
    const server = await startAws({ GetCallerIdentity: identity, ListStackResources: () => [200, ''] });
    await expect(connectToAws(target)).rejects.toThrow('has no table ApiKeys');
    server.close();
  });
});

describe('to the local run', () => {
  test('says so where none is up', async () => {
    await expect(connectToLocalRun(temporaryDirectory())).rejects.toMatchObject({
      exitCode: 'unavailable',
      message: expect.stringContaining('npm start'),
    });
  });

  test('says so where the last one was broken off', async () => {
    const directory = temporaryDirectory();
    mkdirSync(directory, { recursive: true });
    const run = { stackName: 's', dynamoDbEndpoint: 'http://127.0.0.1:9', region: 'r', tables: {}, logsDirectory: 'l' };
    writeFileSync(join(directory, 'operator.json'), JSON.stringify(run));
    await expect(connectToLocalRun(directory)).rejects.toThrow('broken off');
  });
});
