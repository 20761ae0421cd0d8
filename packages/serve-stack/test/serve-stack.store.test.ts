import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CfnCondition, Fn, type Stack } from 'aws-cdk-lib';
import { CfnRequestValidator, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { serveStack } from '../src/serve-stack.ts';
import type { ServedStack, ServeStackOptions } from '../src/served-stack.ts';
import { synthesizeBooks } from './books-stack.ts';
import { call, temporaryDirectory, timeFactor } from './fixture.ts';

let runs = 0;

const newPlace = () => ({ directory: temporaryDirectory() });

const serve = (assembly: string, options: Pick<ServeStackOptions<undefined>, 'port' | 'directory'> = newPlace()) =>
  serveStack({
    assembly,
    ...options,
    dynamoDbEndpoint: inject('dynamoDbEndpoint'),
    tablePrefix: `books-${process.pid}-${runs++}-`,
    timeFactor,
  });

const askOf = async ({ baseUrl, caFile }: ServedStack, method: string, path: string, body?: object) => {
  const { pathname, origin } = new URL(baseUrl);
  const answer = await call(origin.replace('localhost', '127.0.0.1'), pathname + path, {
    method,
    ca: readFileSync(caFile, 'utf8'),
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...answer, body: answer.body && JSON.parse(answer.body) };
};

describe('an unrelated stack is served as it was synthesized', () => {
  let served: ServedStack;
  beforeAll(async () => {
    served = await serve(synthesizeBooks());
  });
  afterAll(() => served.close());

  const ask = (method: string, path: string, body?: object) => askOf(served, method, path, body);

  test('its stage has the name that CDK gives it', () => {
    expect(served.baseUrl).toMatch(/^https:\/\/localhost:\d+\/prod$/);
  });

  test('a book is put, got, listed and deleted, and then it is gone', async () => {
    const book = { isbn: '978-3-16-148410-0', title: 'Heat' };
    expect(await ask('PUT', `/books/${book.isbn}`, { title: book.title })).toMatchObject({ status: 200, body: book });
    expect(await ask('GET', `/books/${book.isbn}`)).toMatchObject({ status: 200, body: book });
    expect(await ask('GET', '/books')).toMatchObject({ status: 200, body: [book] });
    expect(await ask('DELETE', `/books/${book.isbn}`)).toMatchObject({ status: 204, body: '' });
    expect(await ask('GET', `/books/${book.isbn}`)).toMatchObject({ status: 404, body: { message: 'No such book' } });
  });

  test('access that a function’s role does not grant is refused with AWS’s message', async () => {
    await ask('PUT', '/books/1', { title: 'Fahrenheit 451' });
    const { status, body } = await ask('POST', '/books/1/fire');
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        name: 'AccessDeniedException',
        message: expect.stringMatching(
          /Bookshop-Burner.* is not authorized to perform: dynamodb:DeleteItem on resource/,
        ),
      },
    });
    expect(await ask('GET', '/books/1')).toMatchObject({ status: 200 });
  });

  test('a path without a method is refused like by API Gateway', async () => {
    expect(await ask('GET', '/films')).toMatchObject({
      status: 403,
      body: { message: 'Missing Authentication Token' },
    });
  });
});

test('a stack for one account and region is served with their names', async () => {
  const served = await serve(synthesizeBooks({ env: { account: '123456789012', region: 'us-west-2' } }));
  try {
    expect(await askOf(served, 'GET', '/books')).toMatchObject({ status: 200, body: [] });
    const refused = await askOf(served, 'POST', '/books/1/fire');
    expect(refused.body.message).toContain('arn:aws:dynamodb:us-west-2:123456789012:table/');
  } finally {
    await served.close();
  }
});

describe('conflicts are refused before anything is created or written; what runs continues', () => {
  const place = newPlace();
  let served: ServedStack;
  beforeAll(async () => {
    served = await serve(synthesizeBooks(), place);
  });
  afterAll(() => served.close());
  /** Fails when it is called. */
  const assembly = () => Promise.reject(new Error('The stack was synthesized.'));
  const portOf = ({ baseUrl }: ServedStack) => Number(new URL(baseUrl).port);

  test('a second run in the directory: the error names the first, which keeps its log', async () => {
    const evidence = join(served.logsDirectory, 'evidence.log');
    writeFileSync(evidence, '');
    await expect(serveStack({ ...place, assembly })).rejects.toThrow(
      `Another run has its files in ${place.directory}: process ${process.pid}, on port ${portOf(served)}.`,
    );
    expect(existsSync(evidence)).toBe(true);
    expect(await askOf(served, 'GET', '/books')).toMatchObject({ status: 200 });
  });

  test('a second run on the same tables: the first keeps its items', async () => {
    await askOf(served, 'PUT', '/books/2', { title: 'Emma' });
    const [[constructName, name] = ['', '']] = Object.entries(served.tables.names);
    const tablePrefix = name.replace(constructName, '');
    const second = { ...newPlace(), tablePrefix, dynamoDbEndpoint: inject('dynamoDbEndpoint') };
    await expect(serveStack({ ...second, assembly: synthesizeBooks() })).rejects.toThrow(
      `Another run uses the tables ${tablePrefix}… of this store: process ${process.pid} on`,
    );
    expect(await askOf(served, 'GET', '/books')).toMatchObject({ status: 200, body: [{ isbn: '2', title: 'Emma' }] });
  });

  test('another program on the port', async () => {
    const port = portOf(served);
    await expect(serveStack({ ...newPlace(), port, assembly })).rejects.toThrow(
      `Port ${port} is in use. Choose another one, or 0 for any free one.`,
    );
  });
});

test('another run follows in the same directory, and on the same port', async () => {
  const place = newPlace();
  const first = await serve(synthesizeBooks(), place);
  await first.close();
  const second = await serve(synthesizeBooks(), { ...place, port: Number(new URL(first.baseUrl).port) });
  expect(second.baseUrl).toBe(first.baseUrl);
  await second.close();
});

test('a run that ends answers its current requests and accepts no new ones', async () => {
  const hold = temporaryDirectory();
  const served = await serve(synthesizeBooks({ hold }));
  const underWay = askOf(served, 'GET', '/books/held');
  while (!existsSync(join(hold, 'begun'))) await wait(10);
  const closing = served.close();
  await expect(askOf(served, 'GET', '/books')).rejects.toThrow('ECONNREFUSED');
  writeFileSync(join(hold, 'released'), '');
  expect(await underWay).toMatchObject({ status: 404, body: { message: 'No such book' } });
  await closing;
});

describe('another version replaces the served one', () => {
  const hold = temporaryDirectory();
  let served: ServedStack;
  beforeAll(async () => {
    served = await serve(synthesizeBooks({ hold }));
  });
  afterAll(() => served.close());
  const ask = (method: string, path: string, body?: object) => askOf(served, method, path, body);

  test('on the same port with the same data; a version answers the requests that it received', async () => {
    await ask('PUT', '/books/held', { title: 'Slow' });
    const underWay = ask('GET', '/books/held');
    while (!existsSync(join(hold, 'begun'))) await wait(10);
    await served.replace(synthesizeBooks({ hold, edition: 'second' }));
    const next = await ask('GET', '/books');
    expect(next).toMatchObject({ headers: { edition: 'second' }, body: [{ isbn: 'held', title: 'Slow' }] });
    writeFileSync(join(hold, 'released'), '');
    expect(await underWay).toMatchObject({ headers: { edition: 'first' }, body: { title: 'Slow' } });
  });

  test.each<[string, Parameters<typeof synthesizeBooks>[0], RegExp]>([
    ['another key for a table', { key: 'title' }, /^The table \w+ has other keys/],
    ['an unknown resource', { add: (stack) => void new Stream(stack, 'Clicks') }, /AWS::Kinesis::Stream/],
  ])('%s is refused, and the previous version is still served', async (_, change, message) => {
    await served.replace(synthesizeBooks({ hold, edition: 'third' }));
    await expect(served.replace(synthesizeBooks({ hold, ...change }))).rejects.toThrow(message);
    expect((await ask('GET', '/books')).headers).toMatchObject({ edition: 'third' });
  });
});

describe('an unknown part of a stack is an error that names it', () => {
  /** Adds a function with its own role. */
  const roleOfFunctionIn = (stack: Stack): Role => {
    const role = new Role(stack, 'Odd', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    new LambdaFunction(stack, 'OddFunction', {
      role,
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => ({});'),
    });
    return role;
  };
  const tableIn = (stack: Stack) => stack.node.findChild('Books').node.defaultChild as CfnTable;

  test.each<[string, (stack: Stack, api: RestApi) => void, RegExp]>([
    [
      'a type of resource',
      (stack) => void new Stream(stack, 'Clicks'),
      /resource type of Clicks\w+: AWS::Kinesis::Stream/,
    ],
    [
      'a property',
      (stack) => {
        const s3BucketSource = { s3Bucket: 'books' };
        tableIn(stack).importSourceSpecification = { inputFormat: 'CSV', s3BucketSource };
      },
      /property of Books\w+ \(AWS::DynamoDB::Table\): ImportSourceSpecification/,
    ],
    [
      'an intrinsic function',
      (stack) => {
        const isProd = new CfnCondition(stack, 'IsProd', { expression: Fn.conditionEquals('a', 'a') });
        tableIn(stack).tableName = Fn.conditionIf(isProd.logicalId, 'books', 'books-test').toString();
      },
      /intrinsic function Fn::If/,
    ],
    [
      'a policy operator',
      (stack) => {
        const conditions = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['x'] } };
        const statement = new PolicyStatement({ actions: ['dynamodb:GetItem'], resources: ['*'], conditions });
        roleOfFunctionIn(stack).addToPolicy(statement);
      },
      /policy operator ForAllValues:StringEquals on the condition key dynamodb:LeadingKeys/,
    ],
    [
      'a managed policy',
      (stack) => {
        const policy = ManagedPolicy.fromAwsManagedPolicyName('AmazonDynamoDBFullAccess');
        roleOfFunctionIn(stack).addManagedPolicy(policy);
      },
      /managed policy arn:aws:iam::aws:policy\/AmazonDynamoDBFullAccess of Odd/,
    ],
    [
      'a validator',
      (stack, api) => void new CfnRequestValidator(stack, 'Validator', { restApiId: api.restApiId }),
      /resource type of Validator: AWS::ApiGateway::RequestValidator/,
    ],
  ])('%s', async (_, add, message) => {
    await expect(serve(synthesizeBooks({ add }))).rejects.toThrow(message);
  });
});
