import * as z from 'zod';
import { hostNamePattern } from '../lambdas/api/host-name.ts';
import { maxUrlCharacters } from '../lambdas/api/limits.ts';
import { maxSimulatedHomes } from '../lambdas/api/sandbox.ts';
import { defaultPolicyQuota } from './allowlist.ts';
import { company, companyId } from './company.ts';
import { distinct, distinctOrNone, endpoint, invalid, region, secureUrl } from './values.ts';
import { workflow } from './workflow.ts';

/** The retention periods that CloudWatch Logs offers. */
const logRetentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

const notPositive = invalid('is not a whole number above 0; write one.');
const positiveInteger = z.int(notPositive).positive(notPositive);

/**
 * A permission set of IAM Identity Center is a role whose name ends in characters that are unknown until the set is assigned.
 */
const principal = z
  .string()
  .regex(
    /^arn:aws:iam::\d{12}:(user|role)\/(([\w+=,.@-]+\/)*[\w+=,.@-]+|aws-reserved\/sso\.amazonaws\.com\/([\w-]+\/)?AWSReservedSSO_[\w+=,.@-]+_\*)$/,
    invalid(
      'is not a valid principal; write the ARN of an IAM role or user, or of a permission set: arn:aws:iam::<account>:role/aws-reserved/sso.amazonaws.com/<region>/AWSReservedSSO_<name>_*',
    ),
  );

/** A principal of another account or of this one. IAM accepts no pattern where the policy of a resource names principals. */
const neighbour = z
  .string()
  .regex(
    /^arn:aws:iam::\d{12}:(root|(user|role)\/([\w+=,.@-]+\/)*[\w+=,.@-]+)$/,
    invalid(
      'is not a valid principal; write the ARN of an IAM role or user, or of an account: arn:aws:iam::<account>:root',
    ),
  );

const noLongerThan = (characters: number) =>
  [characters, invalid(`is longer than ${characters} characters; write a shorter one.`)] as const;

/** CloudWatch allows 1,024 characters in the description of an alarm, which ends with the URL of its runbook. */
export const maxRunbooksUrlCharacters = 255;

/** The quota of an account for all of its APIs in a region. AWS raises the rate on request, and then sets the burst. */
const accountThrottle = { requestsPerSecond: 10_000, burst: 5_000 };

const throttled = (name: keyof typeof accountThrottle) =>
  positiveInteger.max(
    accountThrottle[name],
    invalid(
      `is above ${accountThrottle[name]}, the quota of an account; write a lower number, or if AWS has raised the quota, raise accountThrottle in config/schema.ts.`,
    ),
  );

const allowlists = ['policy', 'prepare-waf', 'waf'] as const;

/** The configuration of one stage: the content of `config/<stage>.json`. */
export const stageConfig = z
  .strictObject({
    /** Binds the stage to one AWS account and region: deployments and the operator's program refuse to work elsewhere. */
    account: z.string().regex(/^\d{12}$/, invalid('is not an AWS account; write its 12 digits.')),
    region,
    consent: z.strictObject({
      requiredVersion: positiveInteger,
      /** Owners may accept up to this version before it is required. Without it, the required one is the newest. */
      newestVersion: positiveInteger.optional(),
      portalUrl: secureUrl.max(...noLongerThan(maxUrlCharacters)),
    }),
    /** Limits the whole API, as an outer limit in addition to the partners' own rate limits. */
    throttle: z.strictObject({ requestsPerSecond: throttled('requestsPerSecond'), burst: throttled('burst') }),
    /**
     * What refuses addresses that no company has registered: the resource policy of the API (`policy`, the default), which
     * needs a deployment for each change, or AWS WAF (`waf`), whose IP sets the operator's program writes at once. In between,
     * `prepare-waf` leaves it to the policy and creates the IP sets, so that they are full when the policy opens.
     */
    allowlist: z
      .enum(
        allowlists,
        invalid(`is not one of ${allowlists.map((each) => `"${each}"`).join(', ')}; write one of them.`),
      )
      .optional(),
    /**
     * Makes AWS WAF refuse an address that sends more requests a minute than this, before any function runs. All requests
     * count, so the limit has to be above what any partner sends from one address. Without this entry, there is no such limit.
     */
    addressLimit: z
      .strictObject({
        requestsPerMinute: z
          .int(invalid('is not a whole number; write one.'))
          .min(10, invalid('is below 10, the minimum of AWS WAF; write a larger number.'))
          .max(2_000_000_000, invalid('is above 2,000,000,000, the maximum of AWS WAF; write a lower number.')),
      })
      .optional(),
    /**
     * The account's quota in this region: Service Quotas, API Gateway, the length of a resource policy in characters. Leave it
     * out until AWS has raised it.
     */
    resourcePolicyQuota: z
      .int(invalid('is not a whole number; write one.'))
      .min(
        defaultPolicyQuota,
        invalid(`is below ${defaultPolicyQuota}, the default quota of every account; write a larger number.`),
      )
      .optional(),
    logRetentionDays: z.literal(
      logRetentionDays,
      invalid(`is not a retention period of CloudWatch Logs; write one of ${logRetentionDays.join(', ')}.`),
    ),
    /**
     * How often requests are counted for `GET /usage`; every 15 minutes by default. Each run has the price of the log that it
     * reads.
     */
    usageEveryMinutes: z
      .int(invalid('is not a whole number; write one.'))
      .min(1, invalid('is below 1; write a number of minutes.'))
      .max(
        60,
        invalid(
          'is above 60, so partners could not see within the hour why requests are refused; write a lower number.',
        ),
      )
      .optional(),
    monitoring: z.strictObject({
      /** The URL of the pages of docs/runbooks. Each alarm links to its own page. */
      runbooksUrl: secureUrl
        .regex(
          /[^/]$/,
          invalid('ends with "/"; write the URL without it, since alarms append "/" and the name of their page.'),
        )
        .regex(
          /^[^?#]*$/,
          invalid('has a query or a fragment; write the URL of the folder, to which alarms append a page.'),
        )
        .max(...noLongerThan(maxRunbooksUrlCharacters)),
      /** The endpoints that alarms notify: `page` at any hour, `ticket` in working hours. Either list may be empty. */
      page: distinctOrNone(endpoint),
      ticket: distinctOrNone(endpoint),
      /** The account's quota in this region, shared by all of its functions: Service Quotas, "Concurrent executions". */
      lambdaConcurrencyQuota: positiveInteger,
      /** Fewer requests mean that partners may not get through. Leave it out until partners call around the clock. */
      fewestRequestsPer15Minutes: positiveInteger.optional(),
      /** The company as which a machine of the operator calls every few minutes. Leave it out until there is such a machine. */
      canaryCompanyId: companyId.optional(),
    }),
    /** A custom domain for the API. The certificate has to be in the account and the region of the stage. */
    domain: z
      .strictObject({
        name: z
          .string()
          .regex(
            hostNamePattern,
            invalid('is not a valid host name; write one in lower case without a dot at the end, like api.example.com'),
          ),
        certificateArn: z
          .string()
          .regex(
            /^arn:aws:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/,
            invalid('is not the ARN of a certificate; write the ARN of a certificate in AWS Certificate Manager.'),
          ),
        /**
         * Set this to true in a separate deployment, when partners reach the domain: before DNS points there, they would reach
         * nothing.
         */
        disableDefaultEndpoint: z.boolean(
          invalid('is neither true nor false; write false until partners reach the domain.'),
        ),
      })
      .optional(),
    /**
     * Grants access to the maker's other systems: the portal puts events on its bus, and the gateway backend sends reports and
     * fetches requested changes. Without this entry, no principal outside the account has access.
     */
    neighbours: z
      .strictObject({ portalPrincipals: distinct(neighbour), gatewayBackendPrincipals: distinct(neighbour) })
      .optional(),
    /**
     * Makes the stage a sandbox, in which each company has this many simulated homes: the stage deploys a function that
     * simulates them, the portal and the gateway backend (docs/sandbox.md). Without this entry, the stage has no resource of it.
     */
    simulatedHomes: z
      .int(invalid('is not a whole number; write one.'))
      .min(1, invalid('is below 1; write a number of homes, or leave this entry out.'))
      .max(maxSimulatedHomes, invalid(`is above ${maxSimulatedHomes}; write a lower number of homes.`))
      .optional(),
    /**
     * Creates roles for the people who operate the stage: the reader changes nothing, the operator may do everything that the
     * operator's program does except erase owners, and the privacy role may do only that. A user can assume them only with a
     * second factor (MFA). Without this entry there are no roles, and without `privacyPrincipals` no role can erase owners.
     */
    operators: z
      .strictObject({
        readerPrincipals: distinct(principal),
        operatorPrincipals: distinct(principal),
        privacyPrincipals: distinct(principal).optional(),
      })
      .optional(),
    /**
     * Allows the repository's workflow to deploy the stage (.github/workflows/deploy.yml), in runs whose identity GitHub signs.
     * Without this entry, people deploy it.
     */
    workflow: workflow.optional(),
    /**
     * Keeps the companies in the store, where operators register them by commands, with immediate effect and an audit record.
     * Requires the allowlist `waf`. Without this entry, `companies` lists them.
     */
    registrations: z.literal('store', invalid('is not "store"; write "store", or leave this entry out.')).optional(),
    companies: distinct(company, ({ companyId }) => companyId).default([]),
  })
  .check(({ value: { registrations, companies, allowlist }, issues }) => {
    const refuse = (entry: string, message: string) =>
      issues.push({ code: 'custom', path: [entry], message, input: undefined });
    if (issues.length > 0) return;
    if (!isInStore({ registrations }) && companies.length === 0) refuse('companies', 'is missing; add it.');
    if (isInStore({ registrations }) && companies.length > 0)
      refuse(
        'companies',
        'is not empty, but "registrations" keeps the companies in the store; leave out "companies", or remove "registrations".',
      );
    if (isInStore({ registrations }) && allowlistOf({ allowlist }) !== 'waf')
      refuse(
        'registrations',
        'requires the allowlist "waf": the resource policy contains only addresses of this file.',
      );
  })
  .check(({ value: { simulatedHomes: input, neighbours }, issues }) => {
    if (issues.length > 0 || input === undefined || !neighbours) return;
    issues.push({
      code: 'custom',
      path: ['simulatedHomes'],
      message:
        'simulates the portal and the gateway backend, but "neighbours" gives the real ones access; remove one of the two entries.',
      input,
    });
  })
  .check(({ value: { monitoring, companies, registrations }, issues }) => {
    if (issues.length > 0 || isInStore({ registrations })) return;
    const { canaryCompanyId: input } = monitoring;
    if (input === undefined || companies.some(({ companyId }) => companyId === input)) return;
    issues.push({
      code: 'custom',
      path: ['monitoring', 'canaryCompanyId'],
      message: `is "${input}", which is not in companies; add it there, or leave this entry out.`,
      input,
    });
  })
  .check(({ value: { consent }, issues }) => {
    if (issues.length > 0 || newestConsentVersion({ consent }) >= consent.requiredVersion) return;
    issues.push({
      code: 'custom',
      path: ['consent', 'newestVersion'],
      message: `is below the required version, which is ${consent.requiredVersion}; write a newer one, or leave this entry out.`,
      input: consent.newestVersion,
    });
  })
  .check(({ value: { account, region, domain }, issues }) => {
    // Faults of single entries are reported first.
    if (!domain || issues.length > 0) return;
    const [, , , certificateRegion, certificateAccount] = domain.certificateArn.split(':');
    if (certificateRegion === region && certificateAccount === account) return;
    issues.push({
      code: 'custom',
      path: ['domain', 'certificateArn'],
      message: `is a certificate of account ${certificateAccount} in ${certificateRegion}; API Gateway needs one of account ${account} in ${region}.`,
      input: domain.certificateArn,
    });
  });

/** Returns whether the registrations of the stage are in the store instead of the file. */
export const isInStore = ({ registrations }: { readonly registrations?: 'store' | undefined }): boolean =>
  registrations === 'store';

/** Returns the newest version of the terms that exists. */
export const newestConsentVersion = ({
  consent: { newestVersion, requiredVersion },
}: {
  readonly consent: { readonly requiredVersion: number; readonly newestVersion?: number | undefined };
}): number => newestVersion ?? requiredVersion;

export const allowlistOf = ({ allowlist }: { readonly allowlist?: Allowlist | undefined }): Allowlist =>
  allowlist ?? 'policy';

export type Allowlist = (typeof allowlists)[number];
export type StageConfig = z.output<typeof stageConfig>;

const prefix = 'PartnerApi-';

/** Returns the name of a stage's stack. Names in AWS that a person looks for begin with it. */
export const stackNameOf = (stage: string): string => prefix + stage;

/** Returns the stage of a stack. */
export const stageOf = (stackName: string): string => stackName.slice(prefix.length);
