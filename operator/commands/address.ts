import { isIP } from 'node:net';
import * as z from 'zod';
import { contractStates } from '../../lambdas/api/schemas/contract.ts';
import { isAddressInCidrs } from '../../lambdas/domain/company.ts';
import { defineCommand } from '../cli/command.ts';
import { type AddressLists, isAdmittedByWaf, readAddressLists } from '../companies/addresses.ts';
import { onboardedReads } from '../companies/admission.ts';
import { deployOf } from '../companies/drift.ts';

const company = z.strictObject({
  companyId: z.string(),
  /** `ended` if all contracts have ended; null if the company was not onboarded. */
  state: z.enum(contractStates).nullable(),
  /** The block of the contract that covers the address; `configuredBlock` is that of the configuration. */
  contractBlock: z.string().nullable(),
  configuredBlock: z.string().nullable(),
});

const output = z.strictObject({
  address: z.string(),
  /** What checks addresses at the edge. */
  edge: z.enum(['policy', 'ip-sets']),
  /** The block of the deployed resource policy or of the IP sets; null if the address is refused at the edge. */
  edgeBlock: z.string().nullable(),
  /** The companies that have the address in the contract or in the configuration. */
  companies: z.array(company),
  conclusion: z.string(),
});

type Company = z.output<typeof company>;
type Found = Omit<z.output<typeof output>, 'conclusion'>;

export const addressCheck = defineCommand({
  noun: 'address',
  verb: 'check',
  summary: 'Show which layers allow an address, for which companies, and why',
  arguments: {
    address: {
      summary: 'IPv4 or IPv6',
      schema: z
        .string('is missing.')
        .refine(
          (text) => isIP(text) !== 0 && !text.includes('%'),
          'is not an address; write one like 192.0.2.7 or 2001:db8::7.',
        ),
    },
  },
  options: {},
  changes: false,
  requirements: {
    tableActions: onboardedReads,
    serviceActions: ['apigateway:GET', 'wafv2:GetIPSet'],
  },
  output,
  run: async (context, { address }) => {
    const lists = await readAddressLists(context);
    const isOfWaf = isAdmittedByWaf(lists);
    const edgeCidrs = isOfWaf ? (lists.admittedCidrs ?? []) : lists.deployedCidrs;
    const found: Found = {
      address,
      edge: isOfWaf ? 'ip-sets' : 'policy',
      edgeBlock: blockOf(address, edgeCidrs),
      companies: companiesOf(address, lists),
    };
    return { ...found, conclusion: conclusionOf(found, context.stage) };
  },
  view: ({ address, edge, edgeBlock, companies, conclusion }) => [
    { fields: { address, [edges[edge]]: edgeBlock ? `allows it: ${edgeBlock}` : 'refuses it' } },
    {
      rows: companies.map(({ companyId, state, contractBlock, configuredBlock }) => ({
        company: companyId,
        contract: state,
        'in the contract': contractBlock,
        'in the configuration': configuredBlock,
      })),
      ifEmpty: 'no company has registered it',
    },
    { text: conclusion },
  ],
});

const edges = { policy: 'deployed policy', 'ip-sets': 'IP sets of AWS WAF' };

const blockOf = (address: string, cidrs: readonly string[]): string | null =>
  cidrs.find((cidr) => isAddressInCidrs(address, [cidr])) ?? null;

const companiesOf = (address: string, { companies, onboarded: inTables, leftIds }: AddressLists): Company[] => {
  const configured = new Map(companies.map(({ companyId, allowedCidrs }) => [companyId, allowedCidrs]));
  const onboarded = new Map(inTables.map((company) => [company.companyId, company]));
  return [...new Set([...onboarded.keys(), ...configured.keys()])]
    .map((companyId) => ({
      companyId,
      state: leftIds.has(companyId) ? ('ended' as const) : (onboarded.get(companyId)?.state ?? null),
      contractBlock: blockOf(address, onboarded.get(companyId)?.allowedCidrs ?? []),
      configuredBlock: blockOf(address, configured.get(companyId) ?? []),
    }))
    .filter(({ contractBlock, configuredBlock }) => contractBlock !== null || configuredBlock !== null);
};

const conclusionOf = ({ address, edge, edgeBlock, companies }: Found, stage: string): string => {
  const configured = companies.filter(({ configuredBlock }) => configuredBlock !== null);
  if (edgeBlock === null) {
    const refused = `${address} is refused at the edge, for everybody.`;
    if (edge === 'ip-sets' && companies.length > 0)
      return `${refused} ${namesOf(companies)} has registered it: company sync.`;
    if (configured.length > 0)
      return `${refused} The configuration has it for ${namesOf(configured)}: ${deployOf(stage)}, then company sync.`;
    if (companies.length > 0)
      return `${refused} The contract of ${namesOf(companies)} has it, but the configuration does not: company sync --check shows what to do.`;
    return `${refused} No company has registered it.`;
  }
  const covered = companies.filter(({ contractBlock }) => contractBlock !== null);
  const waiting = configured.filter(({ contractBlock }) => contractBlock === null);
  const treatment =
    covered.length > 0
      ? [...covered.map(treatmentOf), 'every other company is refused'].join('; ')
      : 'every company is refused, since no contract has it';
  return [
    `${address} passes the edge. Then ${treatment}.`,
    ...waiting.map(({ companyId, state }) =>
      state === null
        ? `The configuration has it for ${companyId}, which has no contract: company onboard ${companyId}.`
        : `The configuration has it for ${companyId}: company sync ${companyId}.`,
    ),
  ].join(' ');
};

const treatments = {
  active: (companyId: string) => `${companyId} is allowed`,
  suspended: (companyId: string) => `${companyId} is refused, as it is suspended`,
  ended: (companyId: string) =>
    `${companyId} may only read its contract and manage its keys, as the contract has ended`,
} as const;

/** Describes how requests of a company are handled if its contract has the address. */
const treatmentOf = ({ companyId, state }: Company): string => treatments[state ?? 'ended'](companyId);

const namesOf = (companies: readonly Company[]) => companies.map(({ companyId }) => companyId).join(', ');
