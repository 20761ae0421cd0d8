import * as z from 'zod';
import { readAllGrants } from '../../lambdas/data/gateway-grants.ts';
import { companyId, flag, idOf } from '../arguments.ts';
import { changeOutput, changeView } from '../change.ts';
import { defineCommand } from '../command.ts';
import { changeGrantsOf } from '../grant-change.ts';
import { OperatorError } from '../operator-error.ts';

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
  output: changeOutput,
  run: async (context, { companyId: id, gatewayIds, all }) => {
    if (gatewayIds.length > 0 === all)
      throw new OperatorError('usage', 'Which gateways? Name them, or add --all; one of the two.');
    const { store } = await context.connect();
    return changeGrantsOf(context, id, all ? await readAllGrants(store, id) : gatewayIds, false);
  },
  view: changeView,
});
