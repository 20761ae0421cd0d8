import { Duration, Stack } from 'aws-cdk-lib';
import { EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { inboundEvents, inboundEventTypes } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { createFailureQueue } from './queues.ts';

/** How long events can be replayed: longer than a queue keeps them. */
const archivedFor = Duration.days(90);

export type PortalBusProps = {
  readonly queue: Queue;
  /** Who may put events on the bus besides the account itself. */
  readonly principals: readonly string[];
};

/** The event bus of the portal, whose events a rule sends to their queue as the portal wrote them. */
export class PortalBus extends Construct {
  readonly bus: EventBus;
  /** Gets what the rule could not send for a day. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, { queue, principals }: PortalBusProps) {
    super(scope, id);
    const eventTypes = inboundEventTypes.filter((type) => inboundEvents[type].queue === 'portalEvents');
    const eventPattern = { source: ['portal'], detailType: [...eventTypes] };
    this.bus = new EventBus(this, 'Bus', { eventBusName: `${Stack.of(this).stackName}-portal-events` });
    this.bus.archive('Archive', { eventPattern: { source: ['portal'] }, retention: archivedFor });
    this.undelivered = createFailureQueue(this, 'Undelivered');
    new Rule(this, 'Rule', {
      eventBus: this.bus,
      eventPattern,
      targets: [
        new SqsQueue(queue, {
          message: RuleTargetInput.fromEventPath('$.detail'),
          deadLetterQueue: this.undelivered,
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
        }),
      ],
    });
    if (principals.length > 0) this.bus.addToResourcePolicy(putStatement(this.bus, principals, eventTypes));
  }
}

const putStatement = (bus: EventBus, principals: readonly string[], eventTypes: readonly string[]) =>
  new PolicyStatement({
    sid: 'Portal',
    principals: principals.map((arn) => new ArnPrincipal(arn)),
    actions: ['events:PutEvents'],
    resources: [bus.eventBusArn],
    conditions: { StringEquals: { 'events:source': 'portal', 'events:detail-type': [...eventTypes] } },
  });
