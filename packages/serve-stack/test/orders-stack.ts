import { App, Duration, Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { temporaryDirectory } from './fixture.ts';

/** Writes orders from a queue to a table. An order with a negative total fails, the others of its batch do not. */
const takeOrders = `
const { DynamoDBClient } = require('@aws-sdk/client-dynamodb');
const { DynamoDBDocumentClient, PutCommand } = require('@aws-sdk/lib-dynamodb');
const store = DynamoDBDocumentClient.from(new DynamoDBClient({}));
exports.handler = async ({ Records }) => {
  const batchItemFailures = [];
  for (const { messageId, body } of Records) {
    const order = JSON.parse(body);
    if (order.total < 0) batchItemFailures.push({ itemIdentifier: messageId });
    else await store.send(new PutCommand({ TableName: process.env.TABLE_NAME, Item: order }));
  }
  return { batchItemFailures };
};`;

/** Sends the changes of orders to a queue, in order. Fails for an order whose address is `nowhere`. */
const shipOrders = `
const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
const queue = new SQSClient({});
exports.handler = async ({ Records }) => {
  if (Records.some(({ dynamodb }) => dynamodb.NewImage.address.S === 'nowhere')) throw new Error('No such address');
  for (const { eventID, dynamodb: { NewImage, OldImage } } of Records)
    await queue.send(new SendMessageCommand({
      QueueUrl: process.env.QUEUE_URL,
      MessageBody: JSON.stringify({ orderId: NewImage.orderId.S, total: NewImage.total.N, before: OldImage?.total.N }),
      MessageGroupId: NewImage.orderId.S,
      MessageDeduplicationId: eventID,
    }));
};`;

/** Attempts calls that its role does not grant. */
const spy = `
const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
const { EventBridgeClient, PutEventsCommand } = require('@aws-sdk/client-eventbridge');
const attempt = (work) => work.then(() => 'done', ({ name, message }) => ({ name, message }));
exports.handler = async () => ({
  body: JSON.stringify({
    queue: await attempt(new SQSClient({}).send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: 'x' }))),
    bus: await attempt(new EventBridgeClient({}).send(new PutEventsCommand({
      Entries: [{ EventBusName: 'shop', Source: 'shop', DetailType: 'Order placed', Detail: '{}' }],
    }))),
  }),
});`;

export const shopAccount = '111122223333';
export const warehouseAccount = '444455556666';

/** The longest times that a test can wait for. A function gets its timeout multiplied by the time factor. */
const timeout = Duration.seconds(1);
const visibilityTimeout = Duration.seconds(1);

/**
 * Synthesizes a stack that processes orders: shops put them on a bus, a rule sends them to a queue, a function writes them to a
 * table, and another function sends them from the table's stream to a queue of the warehouse. Returns the folder of the cloud
 * assembly.
 */
export const synthesizeOrders = ({ retentionDays = 4 } = {}): string => {
  const app = new App({
    outdir: temporaryDirectory(),
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:enable-path-metadata': true },
  });
  const stack = new Stack(app, 'Shop', { env: { account: '777788889999', region: 'eu-west-1' } });
  const functionOf = (name: string, code: string, environment: Record<string, string>) =>
    new LambdaFunction(stack, name, {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      timeout,
      environment,
      code: Code.fromInline(code),
    });

  const dead = new Queue(stack, 'DeadOrders');
  const orders = new Queue(stack, 'Orders', {
    visibilityTimeout,
    enforceSSL: true,
    deadLetterQueue: { queue: dead, maxReceiveCount: 2 },
  });
  const bus = new EventBus(stack, 'Bus', { eventBusName: 'shop' });
  bus.addToResourcePolicy(
    new PolicyStatement({
      sid: 'Shops',
      principals: [new AccountPrincipal(shopAccount)],
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { StringEquals: { 'events:source': 'shop', 'events:detail-type': ['Order placed'] } },
    }),
  );
  const lost = new Queue(stack, 'LostEvents', { retentionPeriod: Duration.days(retentionDays) });
  new Rule(stack, 'Placed', {
    eventBus: bus,
    eventPattern: { source: ['shop'], detailType: ['Order placed'] },
    targets: [new SqsQueue(orders, { message: RuleTargetInput.fromEventPath('$.detail'), deadLetterQueue: lost })],
  });

  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'orderId', type: AttributeType.STRING },
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
  });
  const taking = functionOf('Taking', takeOrders, { TABLE_NAME: table.tableName });
  table.grantWriteData(taking);
  taking.addEventSource(new SqsEventSource(orders, { batchSize: 5, reportBatchItemFailures: true, maxConcurrency: 2 }));

  const shipments = new Queue(stack, 'Shipments', { fifo: true });
  shipments.addToResourcePolicy(
    new PolicyStatement({
      principals: [new AccountPrincipal(warehouseAccount)],
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
      resources: [shipments.queueArn],
    }),
  );
  const failed = new Queue(stack, 'FailedShipments');
  const shipping = functionOf('Shipping', shipOrders, { QUEUE_URL: shipments.queueUrl });
  shipments.grantSendMessages(shipping);
  shipping.addEventSource(
    new DynamoEventSource(table as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 10,
      bisectBatchOnError: true,
      retryAttempts: 1,
      maxRecordAge: Duration.hours(23),
      onFailure: new SqsDlq(failed),
    }),
  );

  const spying = functionOf('Spying', spy, { QUEUE_URL: orders.queueUrl });
  new RestApi(stack, 'Api').root.addMethod('GET', new LambdaIntegration(spying));
  return app.synth().directory;
};
