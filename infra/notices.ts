import { Duration, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { buses, eventSource } from '../lambdas/api/queues.ts';

/** From the first notice of a key until some time after the key has expired. */
const archivedFor = Duration.days(90);

/** The event bus where an operator attaches what tells a partner, or somebody of the operator's own. */
export class Notices extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `${Stack.of(this).stackName}-notices`,
      description: buses.notices.summary,
    });
    // A bus forgets what no rule takes: who attaches the first rule late replays what was sent before.
    this.bus.archive('Archive', { eventPattern: { source: [eventSource] }, retention: archivedFor });
  }
}
