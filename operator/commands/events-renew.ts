import * as z from 'zod';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { firstHead, headKey } from '../../lambdas/data/feed/feed-items.ts';
import { findHead } from '../../lambdas/data/feed/head.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const eventsRenew = defineCommand({
  noun: 'events',
  verb: 'renew',
  summary:
    'Let all cursors of a company expire, so that its clients read the state anew: for when events were lost. What is in the feed stays',
  arguments: { companyId },
  options: {},
  changes: true,
  requirements: {
    tableActions: { Events: ['GetItem', 'UpdateItem'], Contracts: ['GetItem'], AuditLog: ['PutItem'] },
  },
  output: z.strictObject({
    companyId: z.string(),
    outcome: z.literal(['changed', 'unchanged', 'would-change']),
  }),
  run: async (context, input) => {
    const { store } = await context.connect();
    await requireContract(store, input.companyId);
    const head = await findHead(store, input.companyId);
    if (!head) {
      context.talk('The feed has not begun: there is no cursor.');
      return { ...input, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was changed.');
      return { ...input, outcome: 'would-change' as const };
    }
    const auditContext = await context.auditContext(input.companyId);
    const { epoch } = firstHead();
    const failed = await transact(store, {
      head: {
        Update: {
          TableName: store.tableName('Events'),
          Key: headKey(input.companyId),
          UpdateExpression: 'SET epoch = :epoch',
          ConditionExpression: 'epoch = :seen',
          ExpressionAttributeValues: { ':epoch': epoch, ':seen': head.epoch },
        },
      },
      audit: auditPut(store, auditContext, {}),
    });
    if (failed) throw new OperatorError('conflict', 'Somebody else has renewed the feed at the same moment.');
    return { ...input, outcome: 'changed' as const };
  },
  view: ({ companyId: id, outcome }) => [{ text: `${id}: ${outcome}` }],
});
