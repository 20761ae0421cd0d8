import { companyId } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeContractOf, contractChangeRequirements } from '../contracts/contract-change.ts';

export const contractEnd = defineCommand({
  noun: 'contract',
  verb: 'end',
  summary: 'End a contract: the company can read it and manage its keys, and nothing else',
  arguments: { companyId },
  options: {},
  changes: true,
  requirements: contractChangeRequirements,
  confirmedBy: (input) => input.companyId,
  output: changeOutput,
  run: (context, input) => changeContractOf(context, input.companyId, () => ({ state: 'ended' })),
  view: changeView,
});
