import { withdrawnByOperator } from '../../lambdas/domain/consent.ts';
import { companyId } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeContractOf, contractChangeRequirements } from '../contracts/contract-change.ts';

export const consentWithdraw = defineCommand({
  noun: 'consent',
  verb: 'withdraw',
  summary:
    'Record that the user of a contract has withdrawn consent; remote control is refused from the next request on',
  arguments: { companyId },
  options: {},
  changes: true,
  requirements: contractChangeRequirements,
  confirmedBy: (input) => input.companyId,
  output: changeOutput,
  run: (context, input) => changeContractOf(context, input.companyId, withdrawnByOperator),
  view: changeView,
});
