import { companyId } from '../arguments.ts';
import { changeOutput, changeView } from '../change.ts';
import { defineCommand } from '../command.ts';
import { changeContractOf } from '../contract-change.ts';

export const consentWithdraw = defineCommand({
  noun: 'consent',
  verb: 'withdraw',
  summary:
    'Record that the user of a contract has withdrawn consent; remote control is refused from the next request on',
  arguments: { companyId },
  options: {},
  changes: true,
  confirmedBy: (input) => input.companyId,
  output: changeOutput,
  run: (context, input) =>
    changeContractOf(context, input.companyId, () => ({ acceptedConsentVersion: null, acceptedAtMs: null })),
  view: changeView,
});
