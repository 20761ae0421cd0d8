import * as z from 'zod';
import { contractStates } from '../../lambdas/api/schemas/contract.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import { daysLeft } from '../keys/days-left.ts';

const company = z.strictObject({
  companyId: z.string(),
  name: z.string(),
  /** `not-onboarded`: it stands in the configuration only. */
  state: z.enum([...contractStates, 'not-onboarded']),
  isConfigured: z.boolean(),
  validKeys: z.int(),
  /** The expiry of the key that stays valid longest. */
  lastKeyExpiresAt: z.iso.datetime().nullable(),
});

export const companyList = defineCommand({
  noun: 'company',
  verb: 'list',
  summary: 'List the companies of the tables and of the configuration',
  arguments: {},
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Contracts: ['Scan'],
      ApiKeys: ['Query'],
    },
  },
  output: z.strictObject({ at: z.iso.datetime(), companies: z.array(company) }),
  run: async ({ config, connect, nowMs }) => {
    const { store } = await connect();
    const contracts = await listContracts(store);
    const configured = new Map(config.companies.map(({ companyId, name }) => [companyId, name]));
    const onboarded = await Promise.all(
      contracts.map(async ({ companyId, name, state }) => {
        const slots = await readTakenSlots(store, companyId, nowMs);
        const lastMs = Math.max(...slots.map(({ expiresAtMs }) => expiresAtMs));
        return {
          companyId,
          name,
          state,
          isConfigured: configured.delete(companyId),
          validKeys: slots.length,
          lastKeyExpiresAt: slots.length > 0 ? toTimestamp(lastMs) : null,
        };
      }),
    );
    const waiting = [...configured].map(([companyId, name]) => ({
      companyId,
      name,
      state: 'not-onboarded' as const,
      isConfigured: true,
      validKeys: 0,
      lastKeyExpiresAt: null,
    }));
    return { at: toTimestamp(nowMs), companies: [...onboarded, ...waiting] };
  },
  view: ({ at, companies }) => [
    {
      rows: companies.map(({ companyId, name, state, isConfigured, validKeys, lastKeyExpiresAt }) => ({
        company: companyId,
        name,
        state,
        configured: isConfigured ? 'yes' : 'no',
        'valid keys': validKeys,
        'days left': lastKeyExpiresAt && daysLeft(Date.parse(lastKeyExpiresAt), Date.parse(at)),
      })),
      ifEmpty: 'no companies',
    },
  ],
});
