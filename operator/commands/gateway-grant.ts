import * as z from 'zod';
import { companyId, idOf } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeGrantsOf } from '../contracts/grant-change.ts';

export const gatewayGrant = defineCommand({
  noun: 'gateway',
  verb: 'grant',
  summary: 'Let the contract of a company cover gateways',
  arguments: {
    companyId,
    gatewayIds: { summary: 'one or more', schema: z.array(idOf('gateway')).min(1), isVariadic: true },
  },
  options: {},
  changes: true,
  requirements: {
    tableActions: {
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem'],
      Appliances: ['PutItem'],
      AuditLog: ['PutItem'],
    },
  },
  output: changeOutput,
  run: (context, input) => changeGrantsOf(context, input.companyId, input.gatewayIds, true),
  view: changeView,
});
