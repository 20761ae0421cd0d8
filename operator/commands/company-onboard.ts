import type { Company } from '../../config/schema.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import type { NewKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { noConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { isRegistered } from '../changes/api-key-issue.ts';
import { onboardCompany } from '../changes/onboarding.ts';
import { companyId } from '../cli/arguments.ts';
import { type Difference, differencesOf } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { keyFileOf, keyFileOptions, readKeyFile } from '../keys/key-file.ts';
import { issueIntoFile, keyIssueOutput, keyIssueView, refuseUnusableKey } from '../keys/key-issue.ts';

export const companyOnboard = defineCommand({
  noun: 'company',
  verb: 'onboard',
  summary: 'Give a company of the configuration its contract, its gateways and its first key',
  arguments: { companyId },
  options: keyFileOptions,
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['GetItem', 'PutItem', 'Query'],
      Appliances: ['DeleteItem', 'PutItem'],
      Contracts: ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: keyIssueOutput,
  run: async (context, input) => {
    const company = configuredCompany(context, input.companyId);
    const file = keyFileOf(context, input);
    const kept = readKeyFile(file, input.companyId);
    const { store, readStoreTimeMs } = await context.connect();
    const isOnboarded = (await findContract(store, input.companyId)) !== undefined;
    if (isOnboarded && !(kept && (await isRegistered(store, kept)))) throw alreadyThere(input.companyId);
    if (kept && !isOnboarded) await refuseUnusableKey(context, file, input.companyId, kept);

    const contract = contractOf(company, await readStoreTimeMs());
    return issueIntoFile(context, {
      ...input,
      file,
      kept,
      differences: isOnboarded ? [] : differencesOfOnboarding(contract, company),
      register: (key) => register(context, contract, company.gatewayIds ?? [], key),
    });
  },
  view: keyIssueView,
});

const configuredCompany = ({ config, stage }: OperatorContext, id: string): Company => {
  const company = config.companies.find((each) => each.companyId === id);
  if (company) return company;
  throw new OperatorError(
    'not-found',
    `${id} does not stand in config/${stage}.json. Add it there, with its addresses, user and gateways, and deploy the stage, so that the addresses may call.`,
  );
};

/** Nobody has consented to anything yet. */
const contractOf = (
  { companyId: id, name, userId, allowedCidrs, webhookHosts = [] }: Company,
  nowMs: number,
): Contract => ({
  companyId: id,
  name,
  state: 'active',
  sinceMs: nowMs,
  userId,
  allowedCidrs,
  webhookHosts,
  ...noConsent,
});

const differencesOfOnboarding = (contract: Contract, { gatewayIds = [] }: Company): Difference[] => {
  const { companyId: _, ...shown } = contract;
  return [
    ...differencesOf(noConsent, shown),
    { what: 'gateways', before: null, after: gatewayIds },
    { what: 'key', before: null, after: 'a first one' },
  ];
};

const register = async (context: OperatorContext, contract: Contract, gatewayIds: readonly string[], key: NewKey) => {
  const { store } = await context.connect();
  const auditContext = {
    ...(await context.auditContext(contract.companyId, contract.userId)),
    nowMs: contract.sinceMs,
  };
  const { outcome } = await onboardCompany(store, auditContext, { contract, gatewayIds, key });
  // The contract may be there from an attempt of ours whose answer came too late: then the key is there with it.
  if (outcome === 'onboarded' || (await isRegistered(store, key))) return;
  throw outcome === 'overtaken' ? overtaken(contract.companyId) : alreadyThere(contract.companyId);
};

const overtaken = (id: string) =>
  new OperatorError(
    'conflict',
    `Somebody else is onboarding ${id}, or a request of an earlier run came late. This run has stopped. Look whether the company is there: company show ${id}. If it is not, run the command again.`,
  );

const alreadyThere = (id: string) =>
  new OperatorError(
    'conflict',
    `${id} has been onboarded already, with another key; nothing was done. Look: company show ${id}. For another key: key issue ${id}.`,
  );
