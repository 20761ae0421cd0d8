import * as z from 'zod';
import { differenceOf } from '../../config/cidr.ts';
import type { Company as ConfiguredCompany } from '../../config/schema.ts';
import { type CompanyChange, findCompany } from '../../lambdas/data/contracts/companies.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type ChangeOutput, changeOutput, changeView, type Difference, differencesOf } from '../cli/change.ts';
import { companyId, defineCommand, flag } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { someOf } from '../cli/output.ts';
import { type AddressLists, readAddressLists } from '../companies/addresses.ts';
import { admissionActions, bringIpSetsInLine, writeAdmitted } from '../companies/admission.ts';
import { changeCompanyOf, requireCompany } from '../companies/contract.ts';
import {
  type Drift,
  drift,
  driftRows,
  findDrift,
  findGrantDrift,
  isBlocked,
  webhookHostsOf,
} from '../companies/drift.ts';
import { keyFileOf, readKeyFile } from '../companies/key-file.ts';
import { isRegistered, issueIntoFile, keyIssueCommand, refuseUnusableKey } from '../companies/key-issue.ts';
import { type Onboarding, onboardCompany } from '../companies/onboarding.ts';
import { type Owners, openContracts, ownersLeft, readOwners } from '../companies/owners.ts';
import { readRegistration } from '../companies/registration.ts';
import { OperatorError } from '../error.ts';

export const companyOnboard = defineCommand({
  noun: 'company',
  verb: 'onboard',
  summary:
    'Register a company, as the configuration lists it or a file, with its first key, and contracts that cover the gateways of its owners',
  ...keyIssueCommand,
  options: {
    ...keyIssueCommand.options,
    registration: {
      summary: 'JSON of the company, as the configuration would list it; where the store has the registrations',
      placeholder: 'file',
      schema: z.string().optional(),
    },
    owners: {
      summary: 'CSV of owners, beside the one whom the registration names: userId,gatewayId for each gateway',
      placeholder: 'file',
      schema: z.string().optional(),
    },
  },
  requirements: {
    tableActions: {
      ApiKeys: ['GetItem', 'PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'PutItem'],
      Companies: ['ConditionCheckItem', 'GetItem', 'PutItem', 'Scan'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
    serviceActions: admissionActions,
  },
  run: async (context, input) => {
    const registered = await readRegistration(context, input.companyId, input.registration);
    const file = keyFileOf(context, input);
    const kept = readKeyFile(file, input.companyId);
    const { store } = await context.connect();
    const isOnboarded = (await findCompany(store, input.companyId)) !== undefined;
    if (isOnboarded && !(kept && (await isRegistered(store, kept)))) throw alreadyOnboarded(input.companyId);
    if (kept && !isOnboarded) await refuseUnusableKey(context, file, input.companyId, kept);
    const wanted = await readOwners(context, registered, input.owners);
    // One that was broken off goes on.
    const owners = isOnboarded ? await ownersLeft(store, input.companyId, wanted) : wanted;
    const company = companyOf(registered);
    return issueIntoFile(context, {
      ...input,
      file,
      kept,
      differences: [...(isOnboarded ? [] : differencesOfOnboarding(company)), ...differencesOfOwners(owners)],
      register: (key) => register(context, { company, key }),
      complete: () => openContracts(context, input.companyId, owners),
    });
  },
});

const companyOf = ({ companyId: id, name, allowedCidrs, webhookHosts = [] }: ConfiguredCompany): Company => ({
  companyId: id,
  name,
  state: 'active',
  allowedCidrs,
  webhookHosts,
});

const differencesOfOnboarding = ({ companyId: _, ...company }: Company): Difference[] => [
  ...differencesOf({}, company),
  { what: 'key', before: null, after: 'a first one' },
];

const differencesOfOwners = (owners: Owners): Difference[] => {
  const gatewayIds = [...owners.values()].flatMap((ids) => [...ids]);
  return [
    ...(owners.size > 0 ? [{ what: 'contracts with', before: null, after: someOf([...owners.keys()]) }] : []),
    ...(gatewayIds.length > 0 ? [{ what: 'gateways', before: null, after: someOf(gatewayIds) }] : []),
  ];
};

const register = async (context: OperatorContext, { company, key }: Onboarding) => {
  const { store, readStoreTimeMs } = await context.connect();
  if (await isRegistered(store, key)) return;
  const act = { ...(await context.auditContext(company.companyId)), nowMs: await readStoreTimeMs() };
  const addresses = { before: [], after: company.allowedCidrs };
  const { outcome } = await writeAdmitted(context, addresses, () => onboardCompany(store, act, { company, key }));
  // The company may be there from an attempt of ours whose answer came too late: then the key is there with it.
  if (outcome !== 'onboarded' && !(await isRegistered(store, key))) throw alreadyOnboarded(company.companyId);
};

const alreadyOnboarded = (id: string) =>
  new OperatorError(
    'conflict',
    `${id} has been onboarded already, with another key; nothing was done. Look: company show ${id}. For another key: key issue ${id}.`,
  );

export const companySync = defineCommand({
  noun: 'company',
  verb: 'sync',
  summary:
    'Bring addresses, as far as the policy or AWS WAF takes them, and webhook hosts of one or all companies in line with the configuration',
  arguments: { companyId: { summary: 'all without it', schema: companyId.schema.optional() } },
  options: {
    check: flag(
      'only tell where configuration, contracts and deployed policy differ, gateways included; needs no --reason',
    ),
  },
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['Query'],
      Companies: ['GetItem', 'Scan', 'UpdateItem'],
      Contracts: ['BatchGetItem', 'GetItem'],
      'Contracts/index/byCompany': ['Query'],
      AuditLog: ['PutItem', 'Query'],
    },
    serviceActions: ['apigateway:GET', ...admissionActions],
  },
  changesNothing: ({ check }) => check,
  output: z.strictObject({
    isCheck: z.boolean(),
    changes: z.array(changeOutput),
    /** What the IP sets of AWS WAF were given beside that, or rid of. */
    ipSets: z.strictObject({ added: z.array(z.string()), removed: z.array(z.string()) }),
    /** What is different afterwards, or would be. */
    drift: z.array(drift),
  }),
  run: async (context, { companyId: id, check }) => {
    const lists = await readAddressLists(context);
    if (id !== undefined) await requireBoth(context, id, lists);
    const concerns = (each: Drift) => id === undefined || each.companyId === null || each.companyId === id;
    const found = findDrift(lists, context.stage).filter(concerns);
    const concerned = lists.companies.filter(({ companyId: each }) => id === undefined || each === id);
    const { store } = await context.connect();
    const ofGateways = await findGrantDrift(store, concerned);
    if (check) return { isCheck: true, changes: [], ipSets: noChanges, drift: [...found, ...ofGateways] };

    const changes = await syncAll(context, lists, found);
    const ipSets = context.isDryRun ? noChanges : await bringIpSetsInLine(context);
    const isChanged =
      [...ipSets.added, ...ipSets.removed].length > 0 || changes.some(({ outcome }) => outcome === 'changed');
    const left = isChanged
      ? findDrift(await readAddressLists(context), context.stage).filter(concerns)
      : found.filter((each) => !isSynced(each));
    return { isCheck: false, changes, ipSets, drift: [...left, ...ofGateways] };
  },
  view: ({ isCheck, changes, ipSets: { added, removed }, drift: found }) => [
    ...changes.flatMap(changeView),
    ...(added.length + removed.length > 0
      ? [{ title: 'IP sets', fields: { added: added.join(', '), removed: removed.join(', ') } }]
      : []),
    ...(isCheck || changes.length === 0 || found.length > 0
      ? [{ title: isCheck ? 'Drift' : 'What is left', rows: driftRows(found), ifEmpty: 'all is in line' }]
      : []),
  ],
  exits: {
    drift: 'with --check, something differs',
    refused: 'a company was left as it is, since a deployment has to come first',
  },
  exitCode: ({ isCheck, drift: found }) => {
    if (isCheck) return found.length > 0 ? 'drift' : 'ok';
    return found.some(isBlocked) ? 'refused' : 'ok';
  },
});

const noChanges = { added: [], removed: [] };

const requireBoth = async ({ connect, stage }: OperatorContext, id: string, { companies }: AddressLists) => {
  await requireCompany((await connect()).store, id);
  if (!companies.some((company) => company.companyId === id))
    throw new OperatorError(
      'not-found',
      `${id} does not stand in config/${stage}.json. Add it there, or end its contract: contract end ${id}.`,
    );
};

/** One after the other: where one fails, those before it are in line, and a second run goes on. */
const syncAll = async (context: OperatorContext, { companies }: AddressLists, found: readonly Drift[]) => {
  const changes: ChangeOutput[] = [];
  for (const company of companies) {
    const kinds = found
      .filter((each) => each.companyId === company.companyId && isSynced(each))
      .map(({ kind }) => kind);
    if (kinds.length > 0)
      changes.push(await changeCompanyOf(context, company.companyId, (seen) => inLine(seen, company, kinds)));
  }
  return changes;
};

const isSynced = ({ kind }: Drift): boolean => kind === 'sync' || kind === 'webhook-hosts';

/** Addresses that the deployed policy lacks are left for later; hosts need not wait for them. */
const inLine = (
  { allowedCidrs }: Company,
  company: ConfiguredCompany,
  kinds: readonly Drift['kind'][],
): CompanyChange => ({
  ...(kinds.includes('sync') &&
    !isSameSet(allowedCidrs, company.allowedCidrs) && { allowedCidrs: company.allowedCidrs }),
  ...(kinds.includes('webhook-hosts') && { webhookHosts: webhookHostsOf(company) }),
});

const isSameSet = (cidrs: readonly string[], others: readonly string[]) =>
  differenceOf(cidrs, others).length + differenceOf(others, cidrs).length === 0;
