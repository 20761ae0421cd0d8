import * as z from 'zod';
import { listOpenChanges } from '../../lambdas/data/appliances/open-changes.ts';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { sendMessage } from '../../lambdas/data/queues/queue-sender.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { requestedChangeMessage } from '../../lambdas/outbound/requested-change-message.ts';
import { idOf } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { openChange, openChangeRow, presentOpenChange } from '../seams/open-change.ts';
import { queueActsOf } from '../seams/queue-acts.ts';

export const changeResend = defineCommand({
  noun: 'change',
  verb: 'resend',
  summary: 'Send the gateway backend all requested changes of a gateway again that are open',
  arguments: { gatewayId: { summary: 'the gateway', schema: idOf('gateway') } },
  options: {},
  changes: true,
  requirements: {
    tableActions: { Appliances: ['Query'], AuditLog: ['PutItem'] },
    queueActions: { requestedChanges: ['SendMessage'] },
  },
  output: z.strictObject({
    gatewayId: z.string(),
    outcome: z.literal(['changed', 'unchanged', 'would-change']),
    changes: z.array(openChange),
  }),
  run: async (context, { gatewayId }) => {
    const { store, seams, stackName } = await context.connect();
    const open = await listOpenChanges(store, gatewayId);
    const resent = { gatewayId, changes: open.map(presentOpenChange) };
    if (open.length === 0) {
      context.talk('Nothing to send: no requested change of this gateway is open.');
      return { ...resent, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was sent.');
      return { ...resent, outcome: 'would-change' as const };
    }
    const auditContext = await context.auditContext(queueActsOf(stackName));
    await transact(store, { audit: auditPut(store, auditContext, { gatewayId }) });
    // Another delivery than all before, so that the queue does not take it for a repeat.
    for (const change of open)
      await sendMessage(
        seams.sqs,
        seams.urlOf('requestedChanges'),
        requestedChangeMessage(change, auditContext.requestId),
      );
    return { ...resent, outcome: 'changed' as const };
  },
  view: ({ gatewayId, outcome, changes }) => [
    { title: `${gatewayId}: ${outcome}`, rows: changes.map(openChangeRow), ifEmpty: 'no open change' },
  ],
});
