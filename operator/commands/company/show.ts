import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type RequestEvent, requestFields } from '../../../lambdas/api/log-events/request-event.ts';
import { gatewayIdsIn, isConsentUpToDate } from '../../../lambdas/domain/contract.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import {
  contractFields,
  presentContract,
  presentedContract,
  readAllContracts,
  requireCompany,
} from '../../companies/contract.ts';
import { keyRow, presentedKey, presentKey, readAllKeys } from '../../companies/keys.ts';
import type { Connection } from '../../connection/connection.ts';

/** Less strict than the events' own schema, since another version may have written the line. */
type FieldsOfRequest = { readonly [Name in keyof RequestEvent]?: z.ZodType };

/** A request that a function refused or failed to serve, from its log line. */
const refusal = z.strictObject({
  timestamp: z.iso.datetime(),
  operation: z.string(),
  reason: z.string(),
  status: z.int(),
  keyId: z.string().optional(),
  /** The owner on whose behalf the request was made. */
  userId: z.string().optional(),
  requestId: z.string(),
} satisfies FieldsOfRequest);

type Refusal = z.output<typeof refusal>;

export const companyShow = defineCommand({
  noun: 'company',
  verb: 'show',
  summary: 'Show keys, addresses, contract, consent and last refusals of a company',
  arguments: { companyId },
  options: {},
  changes: false,
  requirements: {
    tableActions: {
      Companies: ['GetItem'],
      Contracts: ['BatchGetItem'],
      'Contracts/index/byCompany': ['Query'],
      ApiKeys: ['Query'],
    },
  },
  output: z.strictObject({
    companyId: z.string(),
    name: z.string(),
    state: z.enum(['active', 'suspended']),
    allowedCidrs: z.array(z.string()),
    webhookHosts: z.array(z.string()),
    contracts: z.strictObject({ active: z.int(), ended: z.int(), consentOutdated: z.int() }),
    /** The only contract of the company; null if it has none or several, which `contract list` shows. */
    contract: presentedContract.nullable(),
    /** Addresses in the configuration; null if it does not list the company. */
    configuredCidrs: z.array(z.string()).nullable(),
    /** Webhook hosts in the configuration; null if it does not list the company. */
    configuredWebhookHosts: z.array(z.string()).nullable(),
    gateways: z.int(),
    keys: z.array(presentedKey),
    /** Null if the log is in CloudWatch. */
    lastRefusals: z.array(refusal).nullable(),
    /** A query for CloudWatch Logs Insights. */
    refusalsQuery: z.string(),
  }),
  run: async ({ connect, config, nowMs }, input) => {
    const connection = await connect();
    const { name, state, allowedCidrs, webhookHosts } = await requireCompany(connection.store, input.companyId);
    const contracts = await readAllContracts(connection.store, input.companyId);
    const active = contracts.filter((contract) => contract.state === 'active');
    const [only] = contracts;
    const keys = await readAllKeys(connection.store, input.companyId);
    const configured = config.companies.find((each) => each.companyId === input.companyId);
    return {
      companyId: input.companyId,
      name,
      state,
      allowedCidrs: [...allowedCidrs],
      webhookHosts: [...webhookHosts],
      contracts: {
        active: active.length,
        ended: contracts.length - active.length,
        consentOutdated: active.filter((each) => !isConsentUpToDate(each, config.consent.requiredVersion)).length,
      },
      contract: only && contracts.length === 1 ? presentContract(only, config) : null,
      configuredCidrs: configured?.allowedCidrs ?? null,
      configuredWebhookHosts: configured ? (configured.webhookHosts ?? []) : null,
      gateways: contracts.flatMap(gatewayIdsIn).length,
      keys: keys.map((key) => presentKey(key, nowMs)),
      lastRefusals: readRefusals(connection, input.companyId) ?? null,
      refusalsQuery: refusalsQuery(input.companyId),
    };
  },
  view: (output) => [
    {
      fields: {
        company: output.companyId,
        name: output.name,
        state: output.state,
        addresses: output.allowedCidrs.join(', '),
        'webhook hosts': output.webhookHosts.join(', ') || 'none',
        ...(output.contract
          ? contractFields(output.contract)
          : {
              contracts: `${output.contracts.active} active, ${output.contracts.ended} ended`,
              consent: `outdated in ${output.contracts.consentOutdated}`,
            }),
        'configured addresses': output.configuredCidrs?.join(', ') ?? 'not in the configuration',
        'configured webhook hosts': hostsText(output.configuredWebhookHosts),
        gateways: output.gateways,
      },
    },
    { title: 'Keys', rows: output.keys.map(keyRow) },
    output.lastRefusals
      ? { title: 'Last refusals', rows: output.lastRefusals }
      : { title: 'Last refusals, with CloudWatch Logs Insights', text: output.refusalsQuery },
  ],
});

const hostsText = (hosts: readonly string[] | null): string =>
  hosts === null ? 'not in the configuration' : hosts.join(', ') || 'none';

/** A query for CloudWatch Logs Insights, over the log group of the stack's functions. */
const refusalsQuery = (id: string): string => {
  const { companyId: company, operation, reason, status, keyId, userId, requestId } = requestFields;
  return `fields @timestamp, ${[operation, reason, status, keyId, userId, requestId].join(', ')}
| filter ${company} = "${id}" and ispresent(${reason})
| sort @timestamp desc
| limit 20`;
};

const shownRefusals = 10;

const logLine = z.object({ ...refusal.shape, companyId: z.string() } satisfies FieldsOfRequest);

/** Returns the last refusals, the newest first; undefined if the log lines are not files of this machine. */
const readRefusals = ({ logsDirectory, stackName }: Connection, companyId: string): Refusal[] | undefined =>
  logsDirectory === undefined
    ? undefined
    : readdirSync(logsDirectory)
        .filter((file) => file.startsWith(`${stackName}-`))
        .flatMap((file) => readFileSync(join(logsDirectory, file), 'utf8').split('\n'))
        .flatMap((line) => refusalIn(line, companyId))
        .sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1))
        .slice(0, shownRefusals);

/** Parses a refusal from a line; empty if the line is no event, or is about another company or an allowed request. */
const refusalIn = (line: string, companyId: string): Refusal[] => {
  if (!line.startsWith('{')) return [];
  const { data } = logLine.safeParse(JSON.parse(line));
  if (data?.companyId !== companyId) return [];
  const { companyId: _, ...shown } = data;
  return [shown];
};
