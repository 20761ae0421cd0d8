import * as z from 'zod';
import { cidrFault } from '../../config/cidr.ts';
import { maxCidrsPerKey, maxLabelCharacters } from '../../lambdas/api/limits.ts';
import { keyAccesses, keyLabel } from '../../lambdas/api/schemas/api-key.ts';
import { type KeyOptions, optionsOf } from '../../lambdas/domain/api-key.ts';
import { type Company, isCidrWithin } from '../../lambdas/domain/company.ts';
import { OperatorError } from '../error.ts';

const blocks = z
  .string()
  .transform((text) => text.split(','))
  .superRefine((cidrs, { addIssue }) => {
    for (const fault of cidrs.flatMap((cidr) => cidrFault(cidr) ?? [])) addIssue(fault);
    if (cidrs.length > maxCidrsPerKey) addIssue(`has ${cidrs.length} blocks, and may have ${maxCidrsPerKey}.`);
  });

/** What a command takes that says what a new key may do. */
export const optionsOfKey = {
  access: {
    summary: 'full, or read: a key that may call the operations of GET alone, and create no key',
    placeholder: 'access',
    schema: z.literal(keyAccesses, `is none; write ${keyAccesses.join(' or ')}.`).default('full'),
  },
  allowedCidrs: {
    summary: `the key works from these addresses alone: up to ${maxCidrsPerKey} registered blocks, or parts of them, with commas`,
    placeholder: 'blocks',
    schema: blocks.optional(),
  },
  label: {
    summary: 'what lists call the key',
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

type Asked = { readonly [Name in keyof KeyOptions]?: KeyOptions[Name] | undefined };

/** The options of a key that is to be issued. Throws an OperatorError if it is to work from addresses beyond those of its company. */
export const askedOptions = ({ companyId, allowedCidrs }: Company, asked: Asked): KeyOptions => {
  const beyond = asked.allowedCidrs?.filter((cidr) => !isCidrWithin(cidr, allowedCidrs)) ?? [];
  if (beyond.length > 0)
    throw new OperatorError(
      'refused',
      `${beyond.join(', ')} lies within no block that is registered for ${companyId}: ${allowedCidrs.join(', ')}.`,
    );
  return optionsOf(asked);
};
