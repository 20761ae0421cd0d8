import { companyId } from '../arguments.ts';
import { changeOutput, changeView } from '../change.ts';
import { defineCommand } from '../command.ts';
import { changeContractOf, toState } from '../contract-change.ts';

export const contractEnd = defineCommand({
  noun: 'contract',
  verb: 'end',
  summary: 'End a contract: the company can read it and manage its keys, and nothing else',
  arguments: { companyId },
  options: {},
  changes: true,
  confirmedBy: (input) => input.companyId,
  output: changeOutput,
  run: (context, input) =>
    changeContractOf(context, input.companyId, (contract) => toState(contract, 'ended', context.nowMs)),
  view: changeView,
});
