import { Duration, Stack } from 'aws-cdk-lib';
import { EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { inboundEvents, inboundEventTypes } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { feedRecorders } from '../../lambdas/api/log-events/background-events.ts';
import { archivedDays, buses, eventSource } from '../../lambdas/api/queues.ts';
import { ConsumerFunctions, type ConsumerFunctionsProps } from './consumer-functions.ts';
import { createFailureQueue, Queues } from './queues.ts';

/**
 * Connects the service to the maker's other systems: it receives the portal's events and the gateways' reports, and sends
 * requested changes to the gateway backend.
 */
export class Integrations extends Construct {
  readonly queues: Queues;
  readonly portalBus: PortalBus;
  readonly consumers: ConsumerFunctions;

  constructor(scope: Construct, id: string, props: Omit<ConsumerFunctionsProps, 'queues'>) {
    super(scope, id);
    const { neighbours } = props.config;
    this.queues = new Queues(this, 'Queues', { neighbours });
    const { portalEvents } = this.queues.pairs;
    this.portalBus = new PortalBus(this, 'Portal', {
      queue: portalEvents.queue,
      principals: neighbours?.portalPrincipals ?? [],
    });
    this.consumers = new ConsumerFunctions(this, 'Consumers', { ...props, queues: this.queues.pairs });
  }

  /** Returns the queues and functions that alarms and dashboards monitor. */
  get sources() {
    const { failureQueues, functions } = this.consumers;
    return {
      queues: this.queues.pairs,
      undelivered: this.portalBus.undelivered,
      ...failureQueues,
      relay: functions.relayRequestedChanges,
      feedRecorders: feedRecorders.map((name) => functions[name]),
    };
  }

  readStreamsAfter(last: IDependable): void {
    this.consumers.readStreamsAfter(last);
  }
}

/** Longer than a queue keeps events, and longer than a key is valid after its first notice. */
const archivedFor = Duration.days(archivedDays);

export type PortalBusProps = {
  readonly queue: Queue;
  /** The principals that may put events on the bus, besides the account itself. */
  readonly principals: readonly string[];
};

/** The event bus of the portal. A rule sends the events to their queue as the portal wrote them. */
class PortalBus extends Construct {
  readonly bus: EventBus;
  /** Receives the events that the rule could not deliver for a day. */
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

/** The event bus to which an operator attaches rules that notify a partner or the operator's own staff. */
export class Notices extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `${Stack.of(this).stackName}-notices`,
      description: buses.notices.summary,
    });
    // A bus drops events that match no rule. An operator who attaches the first rule late replays earlier events from here.
    this.bus.archive('Archive', { eventPattern: { source: [eventSource] }, retention: archivedFor });
  }
}
