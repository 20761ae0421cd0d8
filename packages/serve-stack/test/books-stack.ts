import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { temporaryDirectory } from './fixture.ts';

/**
 * Inline code in a template, with the AWS SDK of the runtime. A request for the book `held` writes a file when it starts, and
 * waits for another file.
 */
const shelf = (edition: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const { setTimeout: wait } = require('node:timers/promises');
const { DynamoDBClient } = require('@aws-sdk/client-dynamodb');
const { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } = require('@aws-sdk/lib-dynamodb');

const store = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.TABLE_NAME;
const answer = (statusCode, body) => ({ statusCode, headers: { edition: '${edition}' }, body: JSON.stringify(body) });

exports.handler = async ({ httpMethod, pathParameters, body }) => {
  if (!pathParameters) return answer(200, (await store.send(new ScanCommand({ TableName }))).Items);
  const Key = { isbn: pathParameters.isbn };
  if (httpMethod === 'PUT') {
    const Item = { ...JSON.parse(body), ...Key };
    await store.send(new PutCommand({ TableName, Item }));
    return answer(200, Item);
  }
  if (httpMethod === 'DELETE') {
    await store.send(new DeleteCommand({ TableName, Key }));
    return { statusCode: 204 };
  }
  if (Key.isbn === 'held') {
    writeFileSync(process.env.HOLD + '/begun', '');
    while (!existsSync(process.env.HOLD + '/released')) await wait(10);
  }
  const { Item } = await store.send(new GetCommand({ TableName, Key }));
  return Item ? answer(200, Item) : answer(404, { message: 'No such book' });
};`;

/** Code in a folder. It tries to write although it may only read. */
const burner = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const store = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = async ({ pathParameters: { isbn } }) => {
  try {
    await store.send(new DeleteCommand({ TableName: process.env.TABLE_NAME, Key: { isbn } }));
    return { statusCode: 204 };
  } catch ({ name, message }) {
    return { statusCode: 403, body: JSON.stringify({ name, message }) };
  }
};`;

const runtime = Runtime.NODEJS_22_X;

type BooksProps = StackProps & {
  readonly add?: (stack: Stack, api: RestApi) => void;
  /** Distinguishes the versions of the stack's code. */
  readonly edition?: string;
  /** The attribute that identifies a book. */
  readonly key?: string;
  /** The folder of the files that hold a request. */
  readonly hold?: string;
};

/**
 * Synthesizes a stack like a tutorial's, with the defaults of its constructs: a table of books, functions that read and write
 * it, and a REST API. `add` adds further resources. Returns the folder of the cloud assembly.
 */
export const synthesizeBooks = (options: BooksProps = {}): string => {
  const { add, edition = 'first', key = 'isbn', hold = '', ...props } = options;
  const directory = temporaryDirectory();
  const burnerFolder = join(directory, 'burner');
  mkdirSync(burnerFolder);
  writeFileSync(join(burnerFolder, 'index.mjs'), burner);

  const app = new App({ outdir: join(directory, 'cdk.out'), builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Bookshop', props);
  const table = new Table(stack, 'Books', {
    partitionKey: { name: key, type: AttributeType.STRING },
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const environment = { TABLE_NAME: table.tableName, HOLD: hold };
  const handler = 'index.handler';
  const shelfFunction = new LambdaFunction(stack, 'Shelf', {
    runtime,
    handler,
    environment,
    code: Code.fromInline(shelf(edition)),
    timeout: Duration.minutes(1),
  });
  table.grantReadWriteData(shelfFunction);
  const burnerFunction = new LambdaFunction(stack, 'Burner', {
    runtime,
    handler,
    environment,
    code: Code.fromAsset(burnerFolder),
  });
  table.grantReadData(burnerFunction);

  const api = new RestApi(stack, 'Api');
  const books = api.root.addResource('books');
  books.addMethod('GET', new LambdaIntegration(shelfFunction));
  const book = books.addResource('{isbn}');
  for (const method of ['GET', 'PUT', 'DELETE']) book.addMethod(method, new LambdaIntegration(shelfFunction));
  book.addResource('fire').addMethod('POST', new LambdaIntegration(burnerFunction));
  add?.(stack, api);
  return app.synth().directory;
};
