import {
  type InboundEventType,
  inboundEventDocs,
  inboundEvents,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { queues } from '../../../lambdas/api/queues.ts';

/** A whole event of a type, as its sender would write it. */
export const exampleOf = (type: InboundEventType) => {
  const { subject, data } = inboundEventDocs()[type].example;
  return {
    specversion: '1.0',
    id: '01KAJ4W0Q7ZJX8M3T5V9B2C6DN',
    source: queues[inboundEvents[type].queue].neighbour,
    type,
    subject,
    time: '2026-11-21T10:16:02.004Z',
    data,
  };
};
