import * as z from 'zod';
import { company as registration } from '../../../config/company.ts';
import { isInStore } from '../../../config/schema.ts';
import { contractStates } from '../../../lambdas/api/schemas/contract.ts';
import { readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { listCompanies } from '../../../lambdas/data/contracts/companies.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { defineCommand } from '../../cli/command.ts';
import { onboardedReads, readOnboarded } from '../../companies/admission.ts';
import { daysLeft } from '../../companies/keys.ts';
import { registrationOf } from '../../companies/registration.ts';
import { mapConcurrently } from '../../concurrent.ts';

const company = z.strictObject({
  companyId: z.string(),
  name: z.string(),
  /** `ended` if all contracts have ended; `not-onboarded` if only the configuration lists the company. */
  state: z.enum([...contractStates, 'not-onboarded']),
  /** Whether the configuration lists the company or, if the store has the registrations, whether it has an address. */
  isRegistered: z.boolean(),
  validKeys: z.int(),
  /** The expiry of the key that stays valid longest. */
  lastKeyExpiresAt: z.iso.datetime().nullable(),
});

export const companyList = defineCommand({
  noun: 'company',
  verb: 'list',
  summary: 'List the companies in the tables and in the configuration',
  arguments: {},
  options: {},
  changes: false,
  requirements: {
    tableActions: { ...onboardedReads, ApiKeys: ['Query'] },
  },
  output: z.strictObject({ at: z.iso.datetime(), companies: z.array(company) }),
  run: async ({ config, connect, nowMs }) => {
    const { store } = await connect();
    const { onboarded, leftIds } = await readOnboarded(store);
    const configured = new Map(config.companies.map(({ companyId, name }) => [companyId, name]));
    const inTables = await mapConcurrently(onboarded, async ({ companyId, name, state, allowedCidrs }) => {
      const isListed = configured.delete(companyId);
      const slots = await readTakenSlots(store, companyId, nowMs);
      const lastMs = Math.max(...slots.map(({ expiresAtMs }) => expiresAtMs));
      return {
        companyId,
        name,
        state: leftIds.has(companyId) ? ('ended' as const) : state,
        isRegistered: isInStore(config) ? allowedCidrs.length > 0 : isListed,
        validKeys: slots.length,
        lastKeyExpiresAt: slots.length > 0 ? toTimestamp(lastMs) : null,
      };
    });
    const waiting = [...configured].map(([companyId, name]) => ({
      companyId,
      name,
      state: 'not-onboarded' as const,
      isRegistered: true,
      validKeys: 0,
      lastKeyExpiresAt: null,
    }));
    return { at: toTimestamp(nowMs), companies: [...inTables, ...waiting] };
  },
  view: ({ at, companies }) => [
    {
      rows: companies.map(({ companyId, name, state, isRegistered, validKeys, lastKeyExpiresAt }) => ({
        company: companyId,
        name,
        state,
        registered: isRegistered ? 'yes' : 'no',
        'valid keys': validKeys,
        'days left': lastKeyExpiresAt && daysLeft(Date.parse(lastKeyExpiresAt), Date.parse(at)),
      })),
      ifEmpty: 'no companies',
    },
  ],
});

export const companyExport = defineCommand({
  noun: 'company',
  verb: 'export',
  summary: 'Show the companies that are registered in the store, in the format of a configuration',
  arguments: {},
  options: {},
  changes: false,
  requirements: { tableActions: { Companies: ['Scan'] } },
  output: z.strictObject({ companies: z.array(registration) }),
  run: async ({ connect }) => {
    const { store } = await connect();
    const registered = (await listCompanies(store)).filter(({ allowedCidrs }) => allowedCidrs.length > 0);
    return { companies: registered.map(registrationOf) };
  },
  // The property as a configuration file has it.
  view: ({ companies }) => [{ text: `"companies": ${JSON.stringify(companies, null, 2)}` }],
});
