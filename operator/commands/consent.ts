import * as z from 'zod';
import { newestConsentVersion } from '../../config/schema.ts';
import { acceptedByOperator, withdrawnByOperator } from '../../lambdas/domain/consent.ts';
import { companyId, defineCommand } from '../cli/command.ts';
import {
  changeContractOf,
  consentFields,
  contractChange,
  contractReads,
  presentConsent,
  presentedConsent,
  requireContract,
  userOption,
} from '../companies/contract.ts';
import { dropActions, dropEndedOfContract } from '../companies/dropped-changes.ts';
import { OperatorError } from '../error.ts';

export const consentAccept = defineCommand({
  noun: 'consent',
  verb: 'accept',
  summary: 'Record that the user of a contract has accepted a consent version',
  ...contractChange,
  shownToCompany: false,
  options: {
    ...userOption,
    consentVersion: {
      summary: 'the accepted version; default: the required version',
      placeholder: 'number',
      schema: z
        .string()
        .regex(/^[1-9]\d{0,8}$/, 'is not a version; write a whole number above 0.')
        .transform(Number)
        .optional(),
    },
  },
  run: (context, { companyId: id, user, consentVersion }) => {
    const { requiredVersion } = context.config.consent;
    const version = consentVersion ?? requiredVersion;
    const newest = newestConsentVersion(context.config);
    if (version > newest)
      throw new OperatorError('refused', `There is no consent version ${version} yet: ${newest} is the latest.`);
    return changeContractOf(context, { companyId: id, user }, (contract, nowMs) => {
      const { userId, acceptedConsentVersion: accepted } = contract;
      if (accepted !== null && accepted > version)
        throw new OperatorError(
          'refused',
          `${userId} has accepted version ${accepted}, which is newer. To withdraw that: consent withdraw ${id}.`,
        );
      if (accepted === version) return {};
      return acceptedByOperator(contract, { consentVersion: version, requiredVersion }, nowMs);
    });
  },
});

export const consentWithdraw = defineCommand({
  noun: 'consent',
  verb: 'withdraw',
  summary:
    'Record that the user of a contract has withdrawn consent; remote control is refused starting with the next request',
  ...contractChange,
  shownToCompany: false,
  confirmedBy: (input) => input.companyId,
  requirements: {
    tableActions: {
      ...contractChange.requirements.tableActions,
      ...dropActions,
      Contracts: ['BatchGetItem', 'GetItem', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  run: async (context, input) => {
    const output = await changeContractOf(context, input, withdrawnByOperator);
    await dropEndedOfContract(context, input);
    return output;
  },
});

export const consentStatus = defineCommand({
  noun: 'consent',
  verb: 'status',
  summary: 'Show the consent of the user of a contract, and the required version',
  arguments: { companyId },
  options: userOption,
  changes: false,
  requirements: { tableActions: contractReads },
  output: presentedConsent.extend({ companyId: z.string(), userId: z.string() }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId, input.user);
    return { companyId: input.companyId, userId: contract.userId, ...presentConsent(contract, config) };
  },
  view: (output) => [{ fields: { company: output.companyId, user: output.userId, ...consentFields(output) } }],
});
