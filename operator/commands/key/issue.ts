import * as z from 'zod';
import { cidrFault } from '../../../config/cidr.ts';
import {
  keyLifetimeMonths,
  maxCidrsPerKey,
  maxLabelCharacters,
  maxValidKeysPerCompany,
} from '../../../lambdas/api/limits.ts';
import { keyAccesses, keyLabel } from '../../../lambdas/api/schemas/api-key.ts';
import { readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import {
  defaultKeyOptions,
  isValidAt,
  type KeyOptions,
  type NewKey,
  optionsOf,
} from '../../../lambdas/domain/api-key.ts';
import { type Company, isCidrWithin } from '../../../lambdas/domain/company.ts';
import { defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { differencesOf } from '../../cli/make-change.ts';
import { requireCompany } from '../../companies/contract.ts';
import { keyFileOf, readKeyFile } from '../../companies/key-file.ts';
import {
  isRegistered,
  issueApiKey,
  issueIntoFile,
  keyIssueCommand,
  keyLimitReached,
  refuseUnusableKey,
} from '../../companies/key-issue.ts';
import { OperatorError } from '../../error.ts';

const blocks = z
  .string()
  .transform((text) => text.split(','))
  .superRefine((cidrs, { addIssue }) => {
    for (const fault of cidrs.flatMap((cidr) => cidrFault(cidr) ?? [])) addIssue(fault);
    if (cidrs.length > maxCidrsPerKey) addIssue(`has ${cidrs.length} blocks; the maximum is ${maxCidrsPerKey}.`);
  });

/** The options that determine what a new key may do. */
const optionsOfKey = {
  access: {
    summary: 'full, or read for a key that may only call GET operations and cannot create keys',
    placeholder: 'access',
    schema: z.literal(keyAccesses, `is unknown; write ${keyAccesses.join(' or ')}.`).default('full'),
  },
  allowedCidrs: {
    summary: `the addresses from which the key works: up to ${maxCidrsPerKey} registered blocks or parts of them, separated by commas`,
    placeholder: 'blocks',
    schema: blocks.optional(),
  },
  label: {
    summary: 'a name for the key in lists',
    placeholder: 'text',
    schema: z
      .string()
      .refine(
        (text) => keyLabel().safeParse(text).success,
        `is not one line of 1 to ${maxLabelCharacters} characters without control characters.`,
      )
      .optional(),
  },
};

export const keyIssue = defineCommand({
  noun: 'key',
  verb: 'issue',
  summary: 'Issue a key to a company, even if the company has no valid key left',
  ...keyIssueCommand,
  options: { ...keyIssueCommand.options, ...optionsOfKey },
  requirements: {
    tableActions: {
      ApiKeys: ['GetItem', 'PutItem', 'Query'],
      Companies: ['ConditionCheckItem', 'GetItem'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  run: async (context, input) => {
    const file = keyFileOf(context, input);
    const { store } = await context.connect();
    const company = await requireCompany(store, input.companyId);
    const options = askedOptions(company, input);
    const kept = readKeyFile(file, input.companyId);
    const isIssued = kept !== undefined && (await isRegistered(store, kept));
    if (kept && (!isIssued || !isValidAt(kept, context.nowMs)))
      await refuseUnusableKey(context, file, input.companyId, kept);
    const takenSlots = await readTakenSlots(store, input.companyId, context.nowMs);
    if (!isIssued && takenSlots.length === maxValidKeysPerCompany) throw keyLimitReached(input.companyId, takenSlots);

    const what = `${takenSlots.length + 1} of ${maxValidKeysPerCompany}, valid for ${keyLifetimeMonths} months`;
    const differences = [{ what: 'key', before: null, after: what }, ...differencesOf(defaultKeyOptions, options)];
    if (isIssued)
      context.talk(`${file} holds key ${kept.keyId}, issued before. For one more, name another --key-file.`);
    return issueIntoFile(context, {
      ...input,
      file,
      kept,
      differences: isIssued ? [] : differences,
      register: (key) => register(context, key, options),
    });
  },
});

const register = async (context: OperatorContext, key: NewKey, options: KeyOptions) => {
  const { store } = await context.connect();
  const { companyId: id } = key;
  const issue = await issueApiKey(store, await context.auditContext(id), key, options);
  if (issue.outcome === 'issued') return;
  if (issue.outcome === 'api-key-limit-reached') throw keyLimitReached(id, issue.takenSlots);
  throw new OperatorError('conflict', `${id} was removed from the tables at the same time. See: company show ${id}.`);
};

type Asked = { readonly [Name in keyof KeyOptions]?: KeyOptions[Name] | undefined };

/** Returns the options of a new key. Throws an OperatorError if its addresses are not all registered for its company. */
const askedOptions = ({ companyId, allowedCidrs }: Company, asked: Asked): KeyOptions => {
  const beyond = asked.allowedCidrs?.filter((cidr) => !isCidrWithin(cidr, allowedCidrs)) ?? [];
  if (beyond.length > 0)
    throw new OperatorError(
      'refused',
      `${beyond.join(', ')} is not within any block that is registered for ${companyId}: ${allowedCidrs.join(', ')}.`,
    );
  return optionsOf(asked);
};
