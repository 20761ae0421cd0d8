import { Construct, type IDependable } from 'constructs';
import { feedRecorders } from '../../lambdas/api/log-events/background-events.ts';
import { ConsumerFunctions, type ConsumerFunctionsProps } from './consumer-functions.ts';
import { PortalBus } from './portal-bus.ts';
import { Queues } from './queues.ts';

/**
 * Joins the service to the maker's other systems: the portal's events and the gateways' reports come in, and requested
 * changes go out to the gateway backend.
 */
export class Seams extends Construct {
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

  /** What tells of the queues, of the relay and of the feed how they fare. */
  get sources() {
    const { givenUp, functions } = this.consumers;
    return {
      queues: this.queues.pairs,
      undelivered: this.portalBus.undelivered,
      ...givenUp,
      relay: functions.relayRequestedChanges,
      feedRecorders: feedRecorders.map((name) => functions[name]),
    };
  }

  readStreamsAfter(last: IDependable): void {
    this.consumers.readStreamsAfter(last);
  }
}
