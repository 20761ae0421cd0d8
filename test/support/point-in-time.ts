import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
  ResourceInUseException,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  TableNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { inject } from 'vitest';
import type { Store } from '../../lambdas/data/store/store.ts';

/** The seconds to which all tables can be restored. */
type RecoveryWindow = { readonly earliestMs: number; readonly latestMs: number };

/**
 * A store with point-in-time recovery, which DynamoDB Local lacks. It keeps no history: a table is restored in its current
 * state, whatever second is requested.
 */
export const withPointInTimeRecovery = (store: Store, window: RecoveryWindow): Store => {
  const admin = new DynamoDBClient(clientConfigOf(inject('dynamoDbEndpoint')));
  const send = async (command: object) => {
    if (command instanceof DescribeContinuousBackupsCommand) {
      const { TableName = '' } = command.input;
      if (await exists(admin, TableName)) return { ContinuousBackupsDescription: backupsOf(window, toDate) };
      throw new TableNotFoundException({ message: `There is no ${TableName}.`, $metadata: {} });
    }
    if (command instanceof RestoreTableToPointInTimeCommand) {
      const { SourceTableName = '', TargetTableName = '' } = command.input;
      if (await copyNow(admin, SourceTableName, TargetTableName)) return {};
      throw new TableAlreadyExistsException({ message: `There is ${TargetTableName}.`, $metadata: {} });
    }
    return store.send(command as never);
  };
  return { send: send as Store['send'], tableName: store.tableName };
};

const toDate = (epochMs: number) => new Date(epochMs);

/** Serves the same in front of DynamoDB Local, and forwards all other requests. */
export const startPointInTimeRecovery = async (behind: string, window: RecoveryWindow) => {
  const admin = new DynamoDBClient(clientConfigOf(inject('dynamoDbEndpoint')));

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const answer = (status: number, json: object) => response.writeHead(status, contentType).end(JSON.stringify(json));
    const refuse = (code: string) => answer(400, { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: code });
    if (operation === 'DescribeContinuousBackups') {
      const isThere = await exists(admin, JSON.parse(body).TableName);
      return isThere
        ? answer(200, { ContinuousBackupsDescription: backupsOf(window, toEpochSeconds) })
        : refuse('TableNotFoundException');
    }
    if (operation === 'RestoreTableToPointInTime') {
      const { SourceTableName, TargetTableName } = JSON.parse(body);
      return (await copyNow(admin, SourceTableName, TargetTableName))
        ? answer(200, {})
        : refuse('TableAlreadyExistsException');
    }
    const { host: _, connection, 'content-length': __, ...headers } = request.headers as Record<string, string>;
    const passed = await fetch(behind, { method: 'POST', body, headers });
    return response.writeHead(passed.status, contentType).end(await passed.text());
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
      admin.destroy();
    },
  };
};

const toEpochSeconds = (epochMs: number) => epochMs / 1000;

const contentType = { 'content-type': 'application/x-amz-json-1.0' };

const backupsOf = <Time>({ earliestMs, latestMs }: RecoveryWindow, shown: (epochMs: number) => Time) => ({
  ContinuousBackupsStatus: 'ENABLED',
  PointInTimeRecoveryDescription: {
    PointInTimeRecoveryStatus: 'ENABLED',
    EarliestRestorableDateTime: shown(earliestMs),
    LatestRestorableDateTime: shown(latestMs),
  },
});

const exists = (admin: DynamoDBClient, TableName: string): Promise<boolean> =>
  admin.send(new DescribeTableCommand({ TableName })).then(
    () => true,
    (error) => {
      if (error instanceof ResourceNotFoundException) return false;
      throw error;
    },
  );

/** Resolves to false if there is a table of that name. */
const copyNow = async (admin: DynamoDBClient, source: string, target: string): Promise<boolean> => {
  const { Table: { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = {} } = await admin.send(
    new DescribeTableCommand({ TableName: source }),
  );
  const indexes = GlobalSecondaryIndexes?.map((index) => ({
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
  }));
  const schema = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes: indexes, BillingMode: 'PAY_PER_REQUEST' };
  try {
    await admin.send(new CreateTableCommand({ TableName: target, ...schema } as CreateTableCommandInput));
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
  const put = (Item: Record<string, AttributeValue>) => admin.send(new PutItemCommand({ TableName: target, Item }));
  for await (const { Items = [] } of paginateScan({ client: admin }, { TableName: source }))
    await Promise.all(Items.map(put));
  return true;
};
