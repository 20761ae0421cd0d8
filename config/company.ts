import * as z from 'zod';
import { hostNamePattern } from '../lambdas/api/host-name.ts';
import { maxWebhookHosts } from '../lambdas/api/limits.ts';
import { companyIdPattern, idPattern } from '../lambdas/api/schemas/common.ts';
import { cidrFault } from './cidr.ts';
import { distinct, invalid, withoutFault } from './values.ts';

const id = z.string().regex(idPattern, invalid('is not a valid id; write 1 to 64 of the characters A-Z a-z 0-9 . _ -'));

const cidr = z.string().check(withoutFault(cidrFault));

export const companyId = z
  .string()
  .regex(companyIdPattern, invalid('is not a valid company id; write 2 to 24 of the characters a-z 0-9'));

const hostName = z
  .string()
  .regex(
    hostNamePattern,
    invalid('is not a valid host name; write one in lower case, like hooks.example.com, without scheme and port.'),
  );

/** What a company registers during its onboarding. */
export const company = z
  .strictObject({
    companyId,
    name: z.string().min(1, invalid('is empty; write the name of the company.')),
    /** The appliance owner for whom the company acts; without one, its contracts are opened by the portal or by commands. */
    userId: id.optional(),
    /** Addresses that the company calls from, as registered during onboarding. */
    allowedCidrs: distinct(cidr),
    /**
     * Hosts that the company's webhooks may use, including their subdomains. Without the list, the company can have no
     * webhooks.
     */
    webhookHosts: distinct(hostName)
      .max(maxWebhookHosts, invalid(`has more than ${maxWebhookHosts} entries; remove some.`))
      .optional(),
    /**
     * Exactly the gateways that the contract with this owner covers. Without the list, operators grant gateways only by
     * commands.
     */
    gatewayIds: distinct(id).optional(),
  })
  .check(({ value: { userId, gatewayIds }, issues }) => {
    if (userId !== undefined || !gatewayIds) return;
    issues.push({
      code: 'custom',
      path: ['gatewayIds'],
      message: 'lists gateways without an owner; write the userId of the owner, or leave this entry out.',
      input: gatewayIds,
    });
  });

export type Company = z.output<typeof company>;
