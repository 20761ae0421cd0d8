import * as z from 'zod';
import { readAllGrants } from '../changes/gateway-grants.ts';
import { companyId } from '../cli/arguments.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { contractFacts, presentContract, presentedContract } from '../contracts/present-contract.ts';
import { keyRow, presentedKey, presentKey, readAllKeys } from '../keys/present-key.ts';
import { readRefusals, refusal, refusalsQuery } from '../requests/refusals.ts';

export const companyShow = defineCommand({
  noun: 'company',
  verb: 'show',
  summary: 'Show keys, addresses, contract, consent and last refusals of a company',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['GetItem', 'Query'],
      ApiKeys: ['Query'],
    },
  },
  output: presentedContract.extend({
    /** Addresses in the configuration; null if the company does not stand in it. */
    configuredCidrs: z.array(z.string()).nullable(),
    /** Webhook hosts there. */
    configuredWebhookHosts: z.array(z.string()).nullable(),
    gateways: z.int(),
    keys: z.array(presentedKey),
    /** Null if they are in CloudWatch only. */
    lastRefusals: z.array(refusal).nullable(),
    /** A query for CloudWatch Logs Insights. */
    refusalsQuery: z.string(),
  }),
  run: async ({ connect, config, nowMs }, input) => {
    const connection = await connect();
    const contract = await requireContract(connection.store, input.companyId);
    const [keys, gatewayIds] = await Promise.all([
      readAllKeys(connection.store, input.companyId),
      readAllGrants(connection.store, input.companyId),
    ]);
    const configured = config.companies.find((each) => each.companyId === input.companyId);
    return {
      ...presentContract(contract, config),
      configuredCidrs: configured?.allowedCidrs ?? null,
      configuredWebhookHosts: configured ? (configured.webhookHosts ?? []) : null,
      gateways: gatewayIds.length,
      keys: keys.map((key) => presentKey(key, nowMs)),
      lastRefusals: readRefusals(connection, input.companyId) ?? null,
      refusalsQuery: refusalsQuery(input.companyId),
    };
  },
  view: (output) => [
    {
      facts: {
        ...contractFacts(output),
        'configured addresses': output.configuredCidrs?.join(', ') ?? 'not in the configuration',
        'configured webhook hosts': hostsText(output.configuredWebhookHosts),
        gateways: output.gateways,
      },
    },
    { title: 'Keys', rows: output.keys.map(keyRow) },
    output.lastRefusals
      ? { title: 'Last refusals', rows: output.lastRefusals }
      : { title: 'Last refusals, with CloudWatch Logs Insights', text: output.refusalsQuery },
  ],
});

const hostsText = (hosts: readonly string[] | null): string =>
  hosts === null ? 'not in the configuration' : hosts.join(', ') || 'none';
