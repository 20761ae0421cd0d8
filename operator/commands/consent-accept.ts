import * as z from 'zod';
import { newestConsentVersion } from '../../config/schema.ts';
import { acceptedByOperator } from '../../lambdas/domain/consent.ts';
import { companyId } from '../cli/arguments.ts';
import { changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeContractOf, contractChangeRequirements } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const consentAccept = defineCommand({
  noun: 'consent',
  verb: 'accept',
  summary: 'Record that the user of a contract has accepted a consent version',
  arguments: { companyId },
  options: {
    consentVersion: {
      summary: 'the one that was accepted; the required one without it',
      placeholder: 'number',
      schema: z
        .string()
        .regex(/^[1-9]\d{0,8}$/, 'is no version; write a whole number above 0.')
        .transform(Number)
        .optional(),
    },
  },
  changes: true,
  requirements: contractChangeRequirements,
  output: changeOutput,
  run: (context, { companyId: id, consentVersion }) => {
    const { requiredVersion } = context.config.consent;
    const version = consentVersion ?? requiredVersion;
    const newest = newestConsentVersion(context.config);
    if (version > newest)
      throw new OperatorError('refused', `There is no consent version ${version} yet: ${newest} is the latest.`);
    return changeContractOf(context, id, (contract, nowMs) => {
      const { userId, acceptedConsentVersion: accepted } = contract;
      if (accepted !== null && accepted > version)
        throw new OperatorError(
          'refused',
          `${userId} has accepted version ${accepted}, which is newer. To take that back: consent withdraw ${id}.`,
        );
      if (accepted === version) return {};
      return acceptedByOperator(contract, { consentVersion: version, requiredVersion }, nowMs);
    });
  },
  view: changeView,
});
