import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ServedStack } from '../../aws/served-stack.ts';
import { connectToQueues } from '../../demo/appliances/backend-queues.ts';
import { gatewayReport } from '../../demo/appliances/gateway-report.ts';
import { operatorMessagingOf } from '../../operator-messaging.ts';

const reports = 1000;

/** Lets an event of the portal and many reports arrive, as their senders would send them. Nothing of them is new. */
export const sendBacklog = async (served: ServedStack): Promise<void> => {
  const { queueEndpoint, eventEndpoint, queueUrls, portalBus, credentials } = operatorMessagingOf(served);
  const { region } = served.version().stack.environment;
  // Older than all that is known: taken, and without effect.
  const longAgoMs = Date.now() - 86_400_000;
  const queues = connectToQueues({
    ...{ region, endpoint: queueEndpoint, ...credentials, requestedChanges: '' },
    gatewayReports: queueUrls.SeamsQueuesgatewayReportsQueue ?? '',
  });
  const bus = new EventBridgeClient({ endpoint: eventEndpoint, region, credentials });
  const type = 'portal.consent.accepted.v1';
  const accepted = {
    ...{ specversion: '1.0', id: 'backlog', source: 'portal', type, subject: 'acme' },
    ...{ time: new Date(longAgoMs).toISOString(), data: { userId: 'owner-4711', consentVersion: 1 } },
  };
  const entry = { EventBusName: portalBus, Source: 'portal', DetailType: type, Detail: JSON.stringify(accepted) };
  try {
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
    const data = { connectivity: 'online', lastSeenAt: new Date(longAgoMs).toISOString() } as const;
    await queues.send(
      Array.from({ length: reports }, (_, index) =>
        gatewayReport('gateway.connectivity.v1', 'gw-1001', data, longAgoMs + index),
      ),
    );
  } finally {
    queues.close();
    bus.destroy();
  }
};
