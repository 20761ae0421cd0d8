import * as z from 'zod';
import { differenceOf } from '../../../config/cidr.ts';
import { company as registration } from '../../../config/company.ts';
import { isInStore } from '../../../config/schema.ts';
import { maxWebhookHosts } from '../../../lambdas/api/limits.ts';
import { hasLeft } from '../../../lambdas/data/contracts/contracts.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { admissionActions } from '../../companies/admission.ts';
import { addressChangeActions, changeCompanyOf, companyChange } from '../../companies/contract.ts';
import { dropActions, dropEndedOfCompany, findActions } from '../../companies/dropped-changes.ts';
import { OperatorError } from '../../error.ts';

/** An option that takes several values. */
const listOption = <Item>(placeholder: string, summary: string, schema: z.ZodType<Item[]>) => ({
  summary: `${summary}, separated by commas`,
  placeholder,
  schema: z
    .string()
    .transform((text): unknown => text.split(','))
    .pipe(schema)
    .default([]),
});

const cidrs = registration.shape.allowedCidrs;
const hosts = registration.shape.webhookHosts.unwrap();

export const companySet = defineCommand({
  noun: 'company',
  verb: 'set',
  summary:
    'Change the name of a company and, if companies are registered in the store, its allowed addresses and webhook hosts',
  ...companyChange,
  arguments: { companyId },
  options: {
    name: {
      summary: 'the name of the company',
      placeholder: 'text',
      schema: z.string().trim().min(1, 'is empty.').optional(),
    },
    addAddresses: listOption('cidrs', 'address blocks to register additionally', cidrs),
    removeAddresses: listOption('cidrs', 'address blocks to remove; no address in them stays registered', cidrs),
    addWebhookHosts: listOption('hosts', 'hosts to allow additionally for its webhooks', hosts),
    removeWebhookHosts: listOption('hosts', 'hosts to allow no longer for its webhooks', hosts),
  },
  requirements: {
    tableActions: addressChangeActions,
    serviceActions: admissionActions,
  },
  run: async (context, { companyId: id, name, ...change }) => {
    if (Object.values(change).some(({ length }) => length > 0)) requireStore(context, id);
    const { store } = await context.connect();
    return changeCompanyOf(context, id, async (company) => {
      const registered = changed(company, change);
      const hasNone = company.allowedCidrs.length > 0 && registered.allowedCidrs.length === 0;
      if (hasNone && !(await hasLeft(store, id))) throw withoutAddress(id);
      if (registered.webhookHosts.length > maxWebhookHosts) throw tooManyHosts(id);
      return { ...registered, ...(name !== undefined && { name }) };
    });
  },
});

const requireStore = ({ config, stage }: OperatorContext, id: string) => {
  if (!isInStore(config))
    throw new OperatorError(
      'refused',
      `The companies of this stage are registered in config/${stage}.json. Change ${id} there; company sync ${id} --check shows how to continue.`,
    );
};

type Change = Readonly<Record<`${'add' | 'remove'}${'Addresses' | 'WebhookHosts'}`, readonly string[]>>;

/** Compares addresses as sets, regardless of the blocks. Additions take precedence over removals. */
const changed = ({ allowedCidrs, webhookHosts }: Company, change: Change) => {
  const kept = allowedCidrs.flatMap((block) => differenceOf([block], change.removeAddresses));
  const added = change.addAddresses.filter((block) => differenceOf([block], kept).length > 0);
  const hostsKept = webhookHosts.filter((host) => !change.removeWebhookHosts.includes(host));
  return {
    allowedCidrs: [...kept, ...added],
    webhookHosts: [...new Set([...hostsKept, ...change.addWebhookHosts])],
  };
};

const withoutAddress = (id: string) =>
  new OperatorError(
    'refused',
    `${id} would have no address left from which it may call. To refuse its requests: company suspend ${id}. If it leaves: contract end ${id} --all, then this.`,
  );

const tooManyHosts = (id: string) =>
  new OperatorError('refused', `${id} would have more than ${maxWebhookHosts} webhook hosts. Remove some.`);

export const companySuspend = defineCommand({
  noun: 'company',
  verb: 'suspend',
  summary: 'Refuse every request of a company, starting with the next request, and drop its open changes',
  ...companyChange,
  requirements: {
    tableActions: {
      ...companyChange.requirements.tableActions,
      ...findActions,
      Appliances: [...findActions.Appliances, ...dropActions.Appliances],
      Companies: ['BatchGetItem', 'GetItem', 'UpdateItem'],
      Contracts: ['BatchGetItem', 'GetItem'],
    },
  },
  run: async (context, { companyId: id }) => {
    const output = await changeCompanyOf(context, id, () => ({ state: 'suspended' }));
    await dropEndedOfCompany(context, id);
    return output;
  },
});

export const companyResume = defineCommand({
  noun: 'company',
  verb: 'resume',
  summary: 'End the suspension of a company',
  ...companyChange,
  run: (context, { companyId: id }) => changeCompanyOf(context, id, () => ({ state: 'active' })),
});
