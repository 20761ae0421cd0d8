import { Duration, Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Construct, type IDependable } from 'constructs';

/** What stands in an event's `detail`, by the attributes of the notice's row. */
const detail = {
  noticeId: 'sk.S',
  companyId: 'companyId.S',
  keyId: 'keyId.S',
  expiresAt: 'expiresAt.S',
  remaining: 'remaining.S',
  isLastKey: 'isLastKey.BOOL',
};

const eventSource = 'partner-api';

/** From the first notice of a key until some time after the key has expired. */
const archivedFor = Duration.days(90);

/** Sends every new row of the table to an event bus, where an operator attaches what tells the partner. */
export class KeyNotices extends Construct {
  readonly bus: EventBus;
  readonly #pipe: CfnPipe;

  constructor(scope: Construct, id: string, table: TableV2) {
    super(scope, id);
    const { stackName, account } = Stack.of(this);
    const source = table.tableStreamArn as string;
    this.bus = new EventBus(this, 'Bus', { eventBusName: `${stackName}-notices` });
    // A bus forgets what no rule takes: who attaches the first rule late replays what was sent before.
    this.bus.archive('Archive', { eventPattern: { source: [eventSource] }, retention: archivedFor });

    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
      inlinePolicies: { Pipe: policyFor(source, this.bus) },
    });
    // Without a name of its own it can be replaced, as any change of its source requires.
    this.#pipe = new CfnPipe(this, 'Pipe', {
      roleArn: role.roleArn,
      source,
      sourceParameters: {
        // A row that is removed when its time has come is a change, too, but no notice.
        filterCriteria: { filters: [{ pattern: JSON.stringify({ eventName: ['INSERT'] }) }] },
        dynamoDbStreamParameters: { startingPosition: 'TRIM_HORIZON', batchSize: 1 },
      },
      target: this.bus.eventBusArn,
      targetParameters: {
        eventBridgeEventBusParameters: { source: eventSource, detailType: 'API key expiring' },
        inputTemplate,
      },
    });
  }

  /**
   * Creates the pipe after all of this. A stream cannot be read for some time after its table is there, and a pipe that
   * cannot read its stream fails the whole deployment (aws/aws-cdk#31211).
   */
  createPipeAfter(last: IDependable): void {
    this.#pipe.node.addDependency(last);
  }

  /** Counts the times that the pipe could not hand rows on, or not all of them, or not soon; by ids for an expression. */
  pipeFailures(): Readonly<Record<string, Metric>> {
    const metric = (metricName: string) =>
      new Metric({
        namespace: 'AWS/EventBridge/Pipes',
        metricName,
        dimensionsMap: { PipeName: this.#pipe.ref },
        statistic: Stats.SUM,
      });
    return {
      failed: metric('ExecutionFailed'),
      partlyFailed: metric('ExecutionPartiallyFailed'),
      timedOut: metric('ExecutionTimeout'),
      throttled: metric('ExecutionThrottled'),
    };
  }
}

const policyFor = (stream: string, bus: EventBus) =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((name) => `dynamodb:${name}`),
        resources: [stream],
      }),
      new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }),
    ],
  });

/** A path without quotes stands for its value as JSON, text in quotes and a boolean in none. */
const inputTemplate = `{${Object.entries(detail)
  .map(([name, attribute]) => `"${name}":<$.dynamodb.NewImage.${attribute}>`)
  .join(',')}}`;
