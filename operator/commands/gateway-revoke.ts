import * as z from 'zod';
import { readAllGrants } from '../changes/gateway-grants.ts';
import { companyId, flag, idOf } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeGrantsOf } from '../contracts/grant-change.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const gatewayRevoke = defineCommand({
  noun: 'gateway',
  verb: 'revoke',
  summary: 'Take gateways out of the contract of a company, from the next request on',
  arguments: {
    companyId,
    gatewayIds: { summary: 'one or more', schema: z.array(idOf('gateway')).default([]), isVariadic: true },
  },
  options: { all: flag('all that the contract covers') },
  changes: true,
  requirements: {
    tableActions: {
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
      Appliances: ['DeleteItem'],
      AuditLog: ['PutItem'],
    },
  },
  output: changeOutput,
  run: async (context, { companyId: id, gatewayIds, all }) => {
    if (gatewayIds.length > 0 === all)
      throw new OperatorError('usage', 'Which gateways? Name them, or add --all; one of the two.');
    const { store } = await context.connect();
    return changeGrantsOf(context, id, all ? await readAllGrants(store, id) : gatewayIds, false);
  },
  view: changeView,
});
