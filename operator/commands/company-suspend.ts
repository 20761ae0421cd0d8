import { companyId } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeContractOf, contractChangeRequirements } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const companySuspend = defineCommand({
  noun: 'company',
  verb: 'suspend',
  summary: 'Refuse every request of a company, from the next one on',
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
          `The contract of ${input.companyId} has ended: it can only read its contract and manage its keys. To shut it out of that too, revoke its keys: key list ${input.companyId}.`,
        );
      return { state: 'suspended' };
    }),
  view: changeView,
});
