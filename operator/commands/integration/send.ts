import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import {
  type InboundEvent,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { parseJson } from '../../../lambdas/domain/encoding.ts';
import { readEvent } from '../../../lambdas/inbound/read-event.ts';
import { defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { findFile, readTextFile } from '../../cli/text-file.ts';
import { OperatorError } from '../../error.ts';
import type { Integrations } from '../../integrations/integrations.ts';
import { stageSubjects } from '../../owners/audit-entry.ts';

export const integrationSend = defineCommand({
  noun: 'integration',
  verb: 'send',
  summary:
    'Send an event of the portal or of the gateway backend manually, to the same bus or queue and with the same checks as for that system',
  arguments: { file: { summary: 'a file with one event in JSON, as in docs/integrations.md', schema: z.string() } },
  options: {},
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: { AuditLog: ['PutItem'] },
    queueActions: { gatewayReports: ['SendMessage'] },
    serviceActions: ['events:PutEvents'],
  },
  output: z.strictObject({
    outcome: z.literal(['changed', 'would-change']),
    type: z.string(),
    eventId: z.string(),
    subject: z.string(),
    to: z.literal(['bus', 'queue']),
  }),
  run: async (context, { file }) => {
    const text = await readTextFile(await findFile(context.host.directory, file));
    const event = eventIn(text, context.nowMs);
    const { integrations } = await context.connect();
    const isPortal = inboundEvents[event.type].queue === 'portalEvents';
    const sent = {
      type: event.type,
      eventId: event.id,
      subject: event.subject,
      to: isPortal ? ('bus' as const) : ('queue' as const),
    };
    if (context.isDryRun) {
      context.talk('A dry run: nothing was sent.');
      return { ...sent, outcome: 'would-change' as const };
    }
    await putOnRecord(context, event);
    if (isPortal) await integrations.putPortalEvent({ type: event.type, text });
    else await sendReport(integrations, event, text);
    context.talk(
      'Sent. The log line of its consumer shows whether it was applied; integration status shows waiting messages.',
    );
    return { ...sent, outcome: 'changed' as const };
  },
  view: ({ outcome, ...event }) => [{ title: `${event.eventId}: ${outcome}`, fields: event }],
  exits: { refused: 'no consumer would accept the event' },
});

/** Parses the event as its consumer will. The error does not quote the event. */
const eventIn = (text: string, nowMs: number): InboundEvent => {
  const { type } = Object(parseJson(text)) as { readonly type?: unknown };
  const known = inboundEventTypes.find((each) => each === type);
  const { event, refusal } = readEvent(known ? inboundEvents[known].queue : 'portalEvents', text, nowMs);
  if (event) return event;
  const expected =
    refusal.fault === 'unknown-type' ? `As type one of ${inboundEventTypes.join(', ')}.` : refusal.expected;
  throw new OperatorError('refused', `No consumer would accept this event (${refusal.fault}). Expected: ${expected}`);
};

/** Writes the audit row before sending, since no transaction can include both. The consumer audits its changes itself. */
const putOnRecord = async (context: OperatorContext, { type, id, subject, data }: InboundEvent) => {
  const { store, stackName } = await context.connect();
  const ofEvent = { eventType: type, eventId: id };
  const audit =
    inboundEvents[type].subject === 'companyId'
      ? auditPut(store, await context.auditContext(subject, (data as { readonly userId?: string }).userId), ofEvent)
      : auditPut(store, await context.auditContext(stageSubjects(stackName).queues), {
          ...ofEvent,
          gatewayId: subject,
        });
  await transact(store, { audit });
};

const sendReport = async ({ sqs, urlOf }: Integrations, { subject }: InboundEvent, text: string) => {
  await sqs.send(
    new SendMessageCommand({ QueueUrl: urlOf('gatewayReports'), MessageBody: text, MessageGroupId: subject }),
  );
};
