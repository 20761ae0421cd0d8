import * as z from 'zod';
import { withdrawnByOperator } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { companyId, defineCommand, flag, idOf } from '../cli/command.ts';
import {
  changeCompanyOf,
  changeContractOf,
  contractChange,
  contractFields,
  presentContract,
  presentedContract,
  requireContract,
} from '../companies/contract.ts';
import { OperatorError } from '../error.ts';

export const contractSet = defineCommand({
  noun: 'contract',
  verb: 'set',
  summary: 'Change the user of a contract, let an ended one begin again, or change the name of the company',
  arguments: { companyId },
  options: {
    name: { summary: 'of the company', placeholder: 'text', schema: z.string().trim().min(1, 'is empty.').optional() },
    userId: {
      summary: 'on whose behalf the company acts; consent begins anew with another user',
      placeholder: 'id',
      schema: idOf('user').optional(),
    },
    reinstate: flag('an ended contract is active again'),
  },
  changes: true,
  requirements: {
    tableActions: {
      Companies: ['GetItem', 'UpdateItem'],
      Contracts: ['GetItem', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: changeOutput,
  run: async (context, { companyId: id, name, userId, reinstate }) => {
    if (name === undefined && userId === undefined && !reinstate)
      throw new OperatorError('usage', 'What is to be set? Add --name, --user-id or --reinstate.');
    if (name !== undefined) {
      if (userId !== undefined || reinstate)
        throw new OperatorError('usage', 'The name is the company’s, not the contract’s: set it by itself.');
      return changeCompanyOf(context, id, () => ({ name }));
    }
    return changeContractOf(context, id, (contract, nowMs) => {
      const isOtherUser = userId !== undefined && userId !== contract.userId;
      if (isOtherUser) refuseGatewaysOfAnother(contract);
      return {
        ...(isOtherUser && { ...withdrawnByOperator(contract, nowMs), userId }),
        // Another contract begins: what happened under the one that has ended stays there.
        ...(reinstate && contract.state === 'ended' && { state: 'active', sinceMs: nowMs }),
      };
    });
  },
  view: changeView,
});

/** Gateways are granted as those of one user: under another, somebody would act on strangers' homes. */
const refuseGatewaysOfAnother = ({ companyId: id, userId, gateways }: Contract) => {
  if (Object.keys(gateways).length > 0)
    throw new OperatorError(
      'refused',
      `The contract of ${id} covers gateways of ${userId}. Revoke them first: gateway revoke ${id} --all.`,
    );
};

export const contractEnd = defineCommand({
  noun: 'contract',
  verb: 'end',
  summary: 'End a contract: the company can read it and manage its keys, and nothing else',
  ...contractChange,
  confirmedBy: (input) => input.companyId,
  run: (context, input) => changeContractOf(context, input.companyId, () => ({ state: 'ended' })),
});

export const contractShow = defineCommand({
  noun: 'contract',
  verb: 'show',
  summary: 'Show the contract of a company and all gateways that it covers',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['GetItem'],
    },
  },
  output: presentedContract.extend({ gatewayIds: z.array(z.string()) }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId);
    return { ...presentContract(contract, config), gatewayIds: Object.keys(contract.gateways).sort() };
  },
  view: ({ gatewayIds, ...contract }) => [
    { fields: contractFields(contract) },
    { rows: gatewayIds.map((gatewayId) => ({ gateway: gatewayId })), ifEmpty: 'no gateways' },
  ],
});
