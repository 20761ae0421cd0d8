import * as z from 'zod';
import { differenceOf } from '../../config/cidr-set.ts';
import type { Company } from '../../config/schema.ts';
import type { ContractChange } from '../../lambdas/data/contracts/contract-changes.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { type AddressLists, readAddressLists } from '../addresses/address-lists.ts';
import { type Drift, drift, driftRows, findDrift, isBlocked } from '../addresses/drift.ts';
import { webhookHostsOf } from '../addresses/webhook-hosts.ts';
import { companyId, flag } from '../cli/arguments.ts';
import { type ChangeOutput, changeOutput, changeView } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { changeContractOf, requireContract } from '../contracts/contract-change.ts';
import { findGrantDrift } from '../contracts/grant-drift.ts';
import { OperatorError } from '../errors/operator-error.ts';

export const companySync = defineCommand({
  noun: 'company',
  verb: 'sync',
  summary:
    'Bring addresses, as far as the policy has them, and webhook hosts of one or all contracts in line with the configuration',
  arguments: { companyId: { summary: 'all without it', schema: companyId.schema.optional() } },
  options: {
    check: flag(
      'only tell where configuration, contracts and deployed policy differ, gateways included; needs no --reason',
    ),
  },
  changes: true,
  requirements: {
    tableActions: {
      Contracts: ['GetItem', 'Query', 'Scan', 'UpdateItem'],
      AuditLog: ['PutItem', 'Query'],
    },
    serviceActions: ['apigateway:GET'],
  },
  changesNothing: ({ check }) => check,
  output: z.strictObject({
    isCheck: z.boolean(),
    changes: z.array(changeOutput),
    /** What is different afterwards, or would be. */
    drift: z.array(drift),
  }),
  run: async (context, { companyId: id, check }) => {
    const lists = await readAddressLists(context);
    if (id !== undefined) await requireBoth(context, id, lists);
    const concerns = (each: Drift) => id === undefined || each.companyId === null || each.companyId === id;
    const found = findDrift(lists, context.stage).filter(concerns);
    const concerned = lists.companies.filter(({ companyId: each }) => id === undefined || each === id);
    const ofGateways = await findGrantDrift((await context.connect()).store, concerned, lists.contracts);
    if (check) return { isCheck: true, changes: [], drift: [...found, ...ofGateways] };

    const changes = await syncAll(context, lists, found);
    const isChanged = changes.some(({ outcome }) => outcome === 'changed');
    const left = isChanged
      ? findDrift(await readAddressLists(context), context.stage).filter(concerns)
      : found.filter((each) => !isSynced(each));
    return { isCheck: false, changes, drift: [...left, ...ofGateways] };
  },
  view: ({ isCheck, changes, drift: found }) => [
    ...changes.flatMap(changeView),
    ...(isCheck || changes.length === 0 || found.length > 0
      ? [{ title: isCheck ? 'Drift' : 'What is left', rows: driftRows(found), ifEmpty: 'all is in line' }]
      : []),
  ],
  exits: {
    drift: 'with --check, something differs',
    refused: 'a contract was left as it is, since a deployment has to come first',
  },
  exitCode: ({ isCheck, drift: found }) => {
    if (isCheck) return found.length > 0 ? 'drift' : 'ok';
    return found.some(isBlocked) ? 'refused' : 'ok';
  },
});

const requireBoth = async ({ connect, stage }: OperatorContext, id: string, { companies }: AddressLists) => {
  await requireContract((await connect()).store, id);
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
      changes.push(await changeContractOf(context, company.companyId, (contract) => inLine(contract, company, kinds)));
  }
  return changes;
};

const isSynced = ({ kind }: Drift): boolean => kind === 'sync' || kind === 'webhook-hosts';

/** Addresses that the deployed policy lacks are left for later; hosts need not wait for them. */
const inLine = ({ allowedCidrs }: Contract, company: Company, kinds: readonly Drift['kind'][]): ContractChange => ({
  ...(kinds.includes('sync') &&
    !isSameSet(allowedCidrs, company.allowedCidrs) && { allowedCidrs: company.allowedCidrs }),
  ...(kinds.includes('webhook-hosts') && { webhookHosts: webhookHostsOf(company) }),
});

const isSameSet = (cidrs: readonly string[], others: readonly string[]) =>
  differenceOf(cidrs, others).length + differenceOf(others, cidrs).length === 0;
