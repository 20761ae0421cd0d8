import * as z from 'zod';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { consentFacts, presentConsent, presentedConsent } from '../contracts/present-contract.ts';

export const consentStatus = defineCommand({
  noun: 'consent',
  verb: 'status',
  summary: 'Show what the user of a contract has consented to, and what is required',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['GetItem'],
    },
  },
  output: presentedConsent.extend({ companyId: z.string(), userId: z.string() }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId);
    return { companyId: input.companyId, userId: contract.userId, ...presentConsent(contract, config) };
  },
  view: (output) => [{ facts: { company: output.companyId, user: output.userId, ...consentFacts(output) } }],
});
