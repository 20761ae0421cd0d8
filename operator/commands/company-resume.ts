import { companyId } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeContractOf, contractChangeRequirements } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const companyResume = defineCommand({
  noun: 'company',
  verb: 'resume',
  summary: 'End the suspension of a company',
  arguments: { companyId },
  options: {},
  changes: true,
  requirements: contractChangeRequirements,
  output: changeOutput,
  run: (context, input) =>
    changeContractOf(context, input.companyId, (contract) => {
      if (contract.state === 'ended')
        throw new OperatorError(
          'refused',
          `The contract of ${input.companyId} has ended, it is not suspended. For a new contract: contract set ${input.companyId} --reinstate.`,
        );
      return { state: 'active' };
    }),
  view: changeView,
});
