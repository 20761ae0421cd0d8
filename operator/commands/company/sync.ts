import * as z from 'zod';
import { differenceOf } from '../../../config/cidr.ts';
import type { Company as ConfiguredCompany } from '../../../config/company.ts';
import type { CompanyChange } from '../../../lambdas/data/contracts/companies.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { companyId, defineCommand, flag } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { type ChangeOutput, changeOutput, changeView } from '../../cli/make-change.ts';
import { type AddressLists, readAddressLists } from '../../companies/addresses.ts';
import { admissionActions, updateIpSets } from '../../companies/admission.ts';
import { addressChangeActions, changeCompanyOf, requireCompany } from '../../companies/contract.ts';
import {
  type Drift,
  drift,
  driftRows,
  findDrift,
  findGrantDrift,
  isBlocked,
  webhookHostsOf,
} from '../../companies/drift.ts';
import { OperatorError } from '../../error.ts';

export const companySync = defineCommand({
  noun: 'company',
  verb: 'sync',
  summary:
    'Set the addresses and webhook hosts of one or all companies to the values in the configuration; addresses only if the policy or AWS WAF allows them',
  arguments: { companyId: { summary: 'default: all companies', schema: companyId.schema.optional() } },
  options: {
    check: flag(
      'only show where configuration, contracts and deployed policy differ, including gateways; needs no --reason',
    ),
  },
  changes: true,
  shownToCompany: true,
  requirements: {
    tableActions: addressChangeActions,
    serviceActions: ['apigateway:GET', ...admissionActions],
  },
  changesNothing: ({ check }) => check,
  output: z.strictObject({
    isCheck: z.boolean(),
    changes: z.array(changeOutput),
    /** Further blocks that were added to or removed from the IP sets of AWS WAF. */
    ipSets: z.strictObject({ added: z.array(z.string()), removed: z.array(z.string()) }),
    /** The differences that remain, or would remain in a dry run. With `--check`, all differences. */
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
    const ipSets = context.isDryRun ? noChanges : await updateIpSets(context);
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
      ? [{ title: isCheck ? 'Drift' : 'Remaining drift', rows: driftRows(found), ifEmpty: 'all is in line' }]
      : []),
  ],
  exits: {
    drift: 'with --check, something differs',
    refused: 'a company was not changed, because it needs a deployment first',
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
      `${id} is not in config/${stage}.json. Add it there, or end its contract: contract end ${id}.`,
    );
};

/** Changes one company after the other. If one fails, the earlier ones are in line, and a second run continues. */
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

/** Leaves out addresses that the deployed policy still lacks. Webhook hosts do not depend on the policy. */
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
