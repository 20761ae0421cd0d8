import * as z from 'zod';
import { readAllGrants } from '../changes/gateway-grants.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { contractFacts, presentContract, presentedContract } from '../contracts/present-contract.ts';

export const contractShow = defineCommand({
  noun: 'contract',
  verb: 'show',
  summary: 'Show the contract of a company and all gateways that it covers',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['GetItem', 'Query'],
    },
  },
  output: presentedContract.extend({ gatewayIds: z.array(z.string()) }),
  run: async ({ connect, config }, input) => {
    const { store } = await connect();
    const contract = await requireContract(store, input.companyId);
    const gatewayIds = await readAllGrants(store, input.companyId);
    return { ...presentContract(contract, config), gatewayIds };
  },
  view: ({ gatewayIds, ...contract }) => [
    { facts: contractFacts(contract) },
    { rows: gatewayIds.map((gatewayId) => ({ gateway: gatewayId })), ifEmpty: 'no gateways' },
  ],
});
