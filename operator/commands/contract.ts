import * as z from 'zod';
import { createContract, findContract, readUnopened } from '../../lambdas/data/contracts/contracts.ts';
import { endedByOperator, gatewayIdsIn, openedByOperator } from '../../lambdas/domain/contract.ts';
import { companyId, defineCommand, flag, idOf } from '../cli/command.ts';
import { changeOutput, changeView, makeChange } from '../cli/make-change.ts';
import {
  changeContractOf,
  contractChange,
  contractFields,
  contractReads,
  presentContract,
  presentedContract,
  readAllContracts,
  requireCompany,
  requireContract,
  userOption,
} from '../companies/contract.ts';
import { dropActions, dropEndedOfContract, findActions } from '../companies/dropped-changes.ts';
import { endContracts } from '../companies/owners.ts';
import { OperatorError } from '../error.ts';

export const contractOpen = defineCommand({
  noun: 'contract',
  verb: 'open',
  summary: 'Open a contract of a company with an owner, even if an earlier contract has ended',
  arguments: { companyId },
  options: {
    user: { summary: 'the owner on whose behalf the company is to act', placeholder: 'id', schema: idOf('user') },
  },
  changes: true,
  shownToCompany: true,
  requirements: {
    tableActions: {
      Companies: ['BatchGetItem', 'GetItem'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: changeOutput,
  run: async (context, { companyId: id, user }) => {
    const { store } = await context.connect();
    await requireCompany(store, id);
    const parties = { companyId: id, userId: user };
    // Opening an ended contract begins a new one, to which events under the ended one do not belong.
    if (await findContract(store, parties))
      return changeContractOf(context, { companyId: id, user }, (contract, nowMs) =>
        contract.state === 'active' ? {} : openedByOperator(contract, nowMs),
      );
    const apply = async () => {
      const act = await context.auditContext(id, user);
      // An erased owner gets a new contract, to which events from before the erasure do not apply.
      const { contract } = await readUnopened(store, parties);
      const opening = openedByOperator(contract, act.nowMs);
      if ((await createContract(store, act, contract, opening)).outcome === 'created') return;
      throw new OperatorError(
        'conflict',
        `The contract was changed by another caller at the same time. Check with contract show ${id} --user ${user}, and run again.`,
      );
    };
    const differences = [{ what: `contract with ${user}`, before: null, after: 'active' }];
    return makeChange(context, { companyId: id, differences, apply });
  },
  view: changeView,
});

export const contractEnd = defineCommand({
  noun: 'contract',
  verb: 'end',
  summary: 'End a contract: the company can still read the contract, but no longer act for its owner',
  ...contractChange,
  shownToCompany: true,
  options: { ...userOption, all: flag('the contracts with all owners; if it is interrupted, run it again') },
  requirements: {
    tableActions: {
      ...contractChange.requirements.tableActions,
      ...findActions,
      Appliances: [...findActions.Appliances, ...dropActions.Appliances],
      Companies: ['BatchGetItem', 'GetItem'],
      Contracts: ['BatchGetItem', 'GetItem', 'UpdateItem'],
    },
  },
  confirmedBy: (input) => input.companyId,
  run: async (context, input) => {
    if (input.all && input.user !== undefined)
      throw new OperatorError('usage', 'Use either --all or --user, not both.');
    if (input.all) return endContracts(context, input.companyId);
    // Also of an ended contract: an opening from before that arrives later has no effect.
    const output = await changeContractOf(context, input, endedByOperator);
    await dropEndedOfContract(context, input);
    return output;
  },
});

export const contractShow = defineCommand({
  noun: 'contract',
  verb: 'show',
  summary: 'Show the contract of a company and all gateways that it covers',
  arguments: { companyId },
  options: userOption,
  changes: false,
  requirements: { tableActions: contractReads },
  output: presentedContract.extend({ gatewayIds: z.array(z.string()) }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId, input.user);
    return { ...presentContract(contract, config), gatewayIds: gatewayIdsIn(contract) };
  },
  view: ({ gatewayIds, ...contract }) => [
    { fields: contractFields(contract) },
    { rows: gatewayIds.map((gatewayId) => ({ gateway: gatewayId })), ifEmpty: 'no gateways' },
  ],
});

const listed = presentedContract.omit({ companyId: true }).extend({ gateways: z.int() });

export const contractList = defineCommand({
  noun: 'contract',
  verb: 'list',
  summary: 'List the contracts of a company, one for each owner',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: { tableActions: { Contracts: ['BatchGetItem'], 'Contracts/index/byCompany': ['Query'] } },
  output: z.strictObject({ companyId: z.string(), contracts: z.array(listed) }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contracts = await readAllContracts(store, input.companyId);
    return {
      companyId: input.companyId,
      contracts: contracts.map((contract) => {
        const { companyId: _, ...shown } = presentContract(contract, config);
        return { ...shown, gateways: gatewayIdsIn(contract).length };
      }),
    };
  },
  view: ({ contracts }) => [
    {
      rows: contracts.map(({ userId, state, since, consent, gateways }) => ({
        user: userId,
        contract: state,
        since,
        consent: consent.upToDate ? 'up to date' : 'outdated',
        gateways,
      })),
      ifEmpty: 'no contracts',
    },
  ],
});
