import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ServedStack } from 'serve-stack';
import type { InboundEvent } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { connectToQueues } from '../../demo/appliances/backend-queues.ts';
import type { GatewayReport } from '../../demo/appliances/gateway-report.ts';
import { operatorMessagingOf } from '../../operator-messaging.ts';

type Accepted = InboundEvent<'portal.consent.accepted.v1'>;

/** Sends as the portal and the gateway backend would. */
export const connectSenders = (served: ServedStack) => {
  const { queueEndpoint, eventEndpoint, queueUrls, portalBus, credentials } = operatorMessagingOf(served);
  const { region } = served.version().stack.environment;
  const queues = connectToQueues({
    ...{ region, endpoint: queueEndpoint, ...credentials, requestedChanges: '' },
    gatewayReports: queueUrls.SeamsQueuesgatewayReportsQueue ?? '',
  });
  const bus = new EventBridgeClient({ endpoint: eventEndpoint, region, credentials });
  return {
    /** Tells that the owner of a company consented. */
    putConsent: async (companyId: string, data: Accepted['data'], atMs: number): Promise<void> => {
      const type = 'portal.consent.accepted.v1';
      const sent = { specversion: '1.0', id: 'rehearsed', source: 'portal', type, subject: companyId, data };
      const Detail = JSON.stringify({ ...sent, time: new Date(atMs).toISOString() });
      const entry = { EventBusName: portalBus, Source: 'portal', DetailType: type, Detail };
      await bus.send(new PutEventsCommand({ Entries: [entry] }));
    },
    report: (reports: readonly GatewayReport[]): Promise<void> => queues.send(reports),
    close: () => {
      queues.close();
      bus.destroy();
    },
  };
};
