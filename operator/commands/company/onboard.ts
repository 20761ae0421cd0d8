import * as z from 'zod';
import type { Company as ConfiguredCompany } from '../../../config/company.ts';
import { isTrial } from '../../../config/trial.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { type Difference, differencesOf } from '../../cli/make-change.ts';
import { someOf } from '../../cli/output.ts';
import { admissionActions, writeAdmitted } from '../../companies/admission.ts';
import { changeCompanyOf } from '../../companies/contract.ts';
import { awaitFirstHome } from '../../companies/first-home.ts';
import { warnOfOtherOwners } from '../../companies/grants.ts';
import { keyFileOf, readKeyFile } from '../../companies/key-file.ts';
import { isRegistered, issueIntoFile, keyIssueCommand, refuseUnusableKey } from '../../companies/key-issue.ts';
import { type Onboarding, onboardCompany } from '../../companies/onboarding.ts';
import { type Owners, openContracts, ownersLeft, readOwners } from '../../companies/owners.ts';
import { readRegistration } from '../../companies/registration.ts';
import { OperatorError } from '../../error.ts';

export const companyOnboard = defineCommand({
  noun: 'company',
  verb: 'onboard',
  summary:
    'Register a company from the configuration or a file, with its first key, and with contracts that cover the gateways of its owners; in a trial, also register a new address, wait until the first simulated home answers, and show how to call it',
  ...keyIssueCommand,
  options: {
    ...keyIssueCommand.options,
    registration: {
      summary:
        'a JSON file with the company, in the format of the configuration; only if companies are registered in the store',
      placeholder: 'file',
      schema: z.string().optional(),
    },
    owners: {
      summary: 'a CSV file of owners, in addition to the one in the registration: userId,gatewayId for each gateway',
      placeholder: 'file',
      schema: z.string().optional(),
    },
  },
  requirements: {
    tableActions: {
      ApiKeys: ['GetItem', 'PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'PutItem', 'Query', 'UpdateItem'],
      Companies: ['BatchGetItem', 'GetItem', 'PutItem', 'Scan'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
    serviceActions: admissionActions,
  },
  output: keyIssueCommand.output.extend({
    /** The command line that makes the first call of a trial; null in other stages, and if there is no file with the key. */
    firstCall: z.string().nullable(),
  }),
  view: ({ firstCall, ...issued }) => [
    ...keyIssueCommand.view(issued),
    ...(firstCall === null ? [] : [{ title: 'The first home answers:', text: firstCall }]),
  ],
  run: async (context, input) => {
    const registered = await readRegistration(context, input.companyId, input.registration);
    const file = keyFileOf(context, input);
    const kept = readKeyFile(file, input.companyId);
    const { store } = await context.connect();
    const onboarded = await findCompany(store, input.companyId);
    if (onboarded && !(kept && (await isRegistered(store, kept)))) throw alreadyOnboarded(input.companyId);
    if (kept && !onboarded) await refuseUnusableKey(context, file, input.companyId, kept);
    const wanted = await readOwners(context, registered, input.owners);
    // An interrupted onboarding, and a company whose row was lost, have some of them already.
    const owners = await ownersLeft(store, input.companyId, wanted);
    await warnOfOtherOwners(context, input.companyId, owners);
    const company = companyOf(registered);
    const { allowedCidrs } = company;
    // The policy of a trial has a new address already: the configuration is what was deployed.
    const moved = onboarded && isTrial(context.stage) ? differencesOf(onboarded, { allowedCidrs }) : [];
    const issued = await issueIntoFile(context, {
      ...input,
      file,
      kept,
      differences: [...(onboarded ? moved : differencesOfOnboarding(company)), ...differencesOfOwners(owners)],
      register: (key) => register(context, { company, key }),
      complete: async () => {
        if (moved.length > 0) await changeCompanyOf(context, input.companyId, () => ({ allowedCidrs }));
        await openContracts(context, input.companyId, owners);
      },
    });
    return { ...issued, firstCall: await firstCallOf(context, input.companyId, issued.keyFile) };
  },
});

/** The roles of operators need no right to start the sandbox: a trial has none. */
const firstCallOf = async (context: OperatorContext, companyId: string, keyFile: string | null) => {
  if (!isTrial(context.stage) || keyFile === null) return null;
  const key = readKeyFile(keyFile, companyId);
  return key ? awaitFirstHome(context, key, keyFile) : null;
};

const companyOf = ({ companyId: id, name, allowedCidrs, webhookHosts = [] }: ConfiguredCompany): Company => ({
  companyId: id,
  name,
  state: 'active',
  allowedCidrs,
  webhookHosts,
});

const differencesOfOnboarding = ({ companyId: _, ...company }: Company): Difference[] => [
  ...differencesOf({}, company),
  { what: 'key', before: null, after: 'the first key' },
];

const differencesOfOwners = (owners: Owners): Difference[] => {
  const gatewayIds = [...owners.values()].flatMap((ids) => [...ids]);
  return [
    ...(owners.size > 0 ? [{ what: 'contracts with', before: null, after: someOf([...owners.keys()]) }] : []),
    ...(gatewayIds.length > 0 ? [{ what: 'gateways', before: null, after: someOf(gatewayIds) }] : []),
  ];
};

const register = async (context: OperatorContext, { company, key }: Onboarding) => {
  const { store } = await context.connect();
  if (await isRegistered(store, key)) return;
  const act = await context.auditContext(company.companyId);
  const addresses = { before: [], after: company.allowedCidrs };
  const { outcome } = await writeAdmitted(context, addresses, () => onboardCompany(store, act, { company, key }));
  // An attempt of this run may have succeeded although its response timed out; then the key is registered too.
  if (outcome !== 'onboarded' && !(await isRegistered(store, key))) throw alreadyOnboarded(company.companyId);
};

const alreadyOnboarded = (id: string) =>
  new OperatorError(
    'conflict',
    `${id} is already onboarded, with another key; nothing was done. See: company show ${id}. For another key: key issue ${id}. For more owners: gateway import ${id} <file>.`,
  );
