import * as z from 'zod/mini';
import { maxIdCharacters, mayBeAbsent, openEnum, timestamp, writtenText } from '../schemas/common.ts';
import { faultDescriptions, faultSeverities } from '../schemas/fault.ts';
import type { EventDocs } from './inbound-event.ts';

const faultIds = () => ({
  code: openEnum(),
  componentId: mayBeAbsent(writtenText(maxIdCharacters)),
});

export const faultReport = () =>
  z.object({
    ...faultIds(),
    severity: mayBeAbsent(openEnum(faultSeverities)),
    text: mayBeAbsent(writtenText()),
    since: mayBeAbsent(timestamp()),
  });

export const faultClearance = () => z.object(faultIds());

type Row<Data> = { readonly queue: 'gatewayReports'; readonly subject: 'gatewayId'; readonly data: Data };

const subject = 'gw-1001';

export const faultReportDocs = (): EventDocs<Row<typeof faultReport>> => {
  const { code, componentId, severity, text, since } = faultDescriptions();
  return {
    summary:
      'An appliance has a fault, or maintenance is due. A gateway may have several faults at once: the code and the component together identify a fault. A later report of the same fault replaces the previous report.',
    example: {
      subject,
      data: {
        code: 'F.28',
        componentId: '1',
        severity: 'fault',
        text: 'Ignition failed.',
        since: '2026-11-21T10:16:02Z',
      },
    },
    properties: {
      code: `${code} Send it as the appliance shows it.`,
      componentId: `${componentId} If absent, the fault is of the appliance as a whole.`,
      severity: `${severity} If absent, it is \`fault\`.`,
      text: `${text} May be absent.`,
      since: `${since} If absent, it is the time of the event.`,
    },
  };
};

export const faultClearanceDocs = (): EventDocs<Row<typeof faultClearance>> => {
  const { code, componentId } = faultDescriptions();
  return {
    summary:
      'A fault has ended, or the maintenance is done. The event may arrive before the report of the fault: the later time counts.',
    example: { subject, data: { code: 'F.28', componentId: '1' } },
    properties: {
      code: `${code} The same as in the report of the fault.`,
      componentId: `${componentId} The same as in the report of the fault.`,
    },
  };
};
