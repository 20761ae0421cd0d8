import * as z from 'zod';
import { companyIdPattern, idPattern } from '../lambdas/api/schemas/common.ts';
import { cidrFault } from './cidr.ts';

/** The retention periods that CloudWatch Logs offers. */
const logRetentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

const cidr = z.string().check(({ value, issues }) => {
  const fault = cidrFault(value);
  if (fault) issues.push({ code: 'custom', message: fault, input: value });
});

const id = z.string().regex(idPattern, 'is no id; write 1 to 64 of the characters A-Z a-z 0-9 . _ -');

/** A list without a repeated entry; `keyOf` says what makes two entries the same. */
const uniqueList = <Item extends z.ZodType>(item: Item, keyOf: (value: z.output<Item>) => unknown = (value) => value) =>
  z.array(item).check(({ value, issues }) => {
    const seen = new Set<unknown>();
    for (const [index, entry] of value.entries()) {
      const key = keyOf(entry);
      if (seen.has(key))
        issues.push({
          code: 'custom',
          message: `"${key}" stands in the list twice; keep one.`,
          input: entry,
          path: [index],
        });
      seen.add(key);
    }
  });

const nonEmpty = { error: 'is empty; add at least one entry.' };

const company = z.strictObject({
  companyId: z.string().regex(companyIdPattern, 'is no company id; write 2 to 24 lower-case letters and digits'),
  name: z.string().min(1),
  /** The appliance owner for whom the company acts. */
  userId: id,
  /** Where the company calls from, as registered during onboarding. */
  allowedCidrs: uniqueList(cidr).min(1, nonEmpty),
  gatewayIds: uniqueList(id).min(1, nonEmpty),
});

/** What one stage decides: the content of `config/<stage>.json`. */
export const stageConfig = z.strictObject({
  consent: z.strictObject({
    requiredVersion: z.int().positive(),
    portalUrl: z.url({ protocol: /^https$/, error: 'is no URL; write one that starts with https://' }),
  }),
  /** Of the whole API: an outer floor under the partners' own rate limits. */
  throttle: z.strictObject({ requestsPerSecond: z.int().positive(), burst: z.int().positive() }),
  logRetentionDays: z.literal(logRetentionDays),
  /** With a domain of its own the API answers there only. The certificate has to be in the region of the stack. */
  domain: z
    .strictObject({
      name: z.hostname(),
      certificateArn: z
        .string()
        .regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'is no ARN of a certificate'),
    })
    .optional(),
  companies: uniqueList(company, ({ companyId }) => companyId).min(1, nonEmpty),
});

export type StageConfig = z.output<typeof stageConfig>;
export type Company = StageConfig['companies'][number];
