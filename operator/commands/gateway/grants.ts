import * as z from 'zod';
import { companyId, defineCommand, flag, idOf } from '../../cli/command.ts';
import { changeOutput, changeView } from '../../cli/make-change.ts';
import { userOption } from '../../companies/contract.ts';
import { changeGrantsOf, grantRequirements, moveGrants, moveRequirements } from '../../companies/grants.ts';
import { OperatorError } from '../../error.ts';

export const gatewayGrant = defineCommand({
  noun: 'gateway',
  verb: 'grant',
  summary: 'Add gateways to the contract of a company',
  arguments: {
    companyId,
    gatewayIds: { summary: 'one or more', schema: z.array(idOf('gateway')).min(1), isVariadic: true },
  },
  options: userOption,
  changes: true,
  shownToCompany: false,
  requirements: grantRequirements,
  output: changeOutput,
  run: (context, input) => changeGrantsOf(context, input, true, input.gatewayIds),
  view: changeView,
});

export const gatewayRevoke = defineCommand({
  noun: 'gateway',
  verb: 'revoke',
  summary: 'Remove gateways from the contract of a company, effective with the next request',
  arguments: {
    companyId,
    gatewayIds: { summary: 'one or more', schema: z.array(idOf('gateway')).default([]), isVariadic: true },
  },
  options: { ...userOption, all: flag('all gateways that the contract covers') },
  changes: true,
  shownToCompany: false,
  requirements: grantRequirements,
  output: changeOutput,
  run: async (context, { gatewayIds, all, ...named }) => {
    if (gatewayIds.length > 0 === all)
      throw new OperatorError('usage', 'Which gateways? Either name them or add --all.');
    return changeGrantsOf(context, named, false, all ? undefined : gatewayIds);
  },
  view: changeView,
});

const ownerOption = (summary: string) => ({ summary, placeholder: 'id', schema: idOf('user') });

export const gatewayMove = defineCommand({
  noun: 'gateway',
  verb: 'move',
  summary: 'Move gateways from one owner of a company to another, effective with the next request',
  arguments: {
    companyId,
    gatewayIds: { summary: 'one or more', schema: z.array(idOf('gateway')).min(1), isVariadic: true },
  },
  options: { from: ownerOption('the owner who has them'), to: ownerOption('the owner who gets them') },
  changes: true,
  shownToCompany: false,
  requirements: moveRequirements,
  output: changeOutput,
  run: (context, { gatewayIds, ...move }) => moveGrants(context, move, gatewayIds),
  view: changeView,
});
