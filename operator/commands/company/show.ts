import * as z from 'zod';
import { requestFields } from '../../../lambdas/api/log-events/request-event.ts';
import { gatewayIdsIn, isConsentUpToDate } from '../../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { timeInLog } from '../../../lambdas/runtime/log-queries.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import { rangeSince, sinceOption } from '../../cli/times.ts';
import {
  contractFields,
  presentContract,
  presentedContract,
  readAllContracts,
  requireCompany,
} from '../../companies/contract.ts';
import { keyRow, presentedKey, presentKey, readAllKeys } from '../../companies/keys.ts';
import {
  accessRow,
  accessSubject,
  accessSubjects,
  inSeconds,
  readLastChanges,
  suspensionInWords,
} from '../../owners/access-history.ts';

/** The requests that functions refused or failed to serve with one problem. */
const refusals = z.strictObject({
  reason: z.string(),
  requests: z.int(),
  first: z.iso.datetime(),
  last: z.iso.datetime(),
  lastRequestId: z.string(),
});

export const companyShow = defineCommand({
  noun: 'company',
  verb: 'show',
  summary:
    'Show keys, addresses, contract, consent and refusals of a company, and the last change of each thing that can refuse it, from the audit log; refusals at the edge belong to no company: address check explains them',
  arguments: { companyId },
  options: { since: { ...sinceOption('24h'), summary: `refusals since: ${sinceOption('24h').summary}` } },
  changes: false,
  requirements: {
    tableActions: {
      Companies: ['GetItem'],
      Contracts: ['BatchGetItem'],
      'Contracts/index/byCompany': ['Query'],
      ApiKeys: ['Query'],
      AuditLog: ['Query'],
    },
    serviceActions: ['logs:GetQueryResults', 'logs:StartQuery'],
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
    /** Each thing that can refuse, with its last change and the first refusal because of it. */
    access: z.array(accessSubject),
    /** The time of the oldest change in the audit log that was read; null if there are no other changes of these. */
    changesReadSince: z.iso.datetime().nullable(),
    refusalsSince: z.iso.datetime(),
    /** Null if the log could not be read. */
    refusals: z.array(refusals).nullable(),
    /** Why the log could not be read; null if it was. */
    logFault: z.string().nullable(),
  }),
  run: async ({ connect, config, nowMs }, input) => {
    const range = rangeSince(input.since, nowMs);
    const { store, queryLog } = await connect();
    const { name, state, allowedCidrs, webhookHosts } = await requireCompany(store, input.companyId);
    const contracts = await readAllContracts(store, input.companyId);
    const active = contracts.filter((contract) => contract.state === 'active');
    const [only] = contracts;
    const keys = await readAllKeys(store, input.companyId);
    const [{ changes, readSince }, { counted, logFault }] = await Promise.all([
      readLastChanges(store, input.companyId),
      queryLog
        .requests(refusalsQuery(input.companyId), range)
        .then((rows) => ({ counted: rows.map(refusalsIn), logFault: null }), withoutLog),
    ]);
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
      access: accessSubjects(changes, counted ?? []),
      changesReadSince: readSince,
      refusalsSince: toTimestamp(range.fromMs),
      refusals: counted,
      logFault,
    };
  },
  view: (output) => [
    {
      fields: {
        company: output.companyId,
        name: output.name,
        state: output.state === 'active' ? output.state : suspensionInWords(output.access, output.changesReadSince),
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
    {
      title: `What can refuse, with the first refusal since ${inSeconds(output.refusalsSince)}`,
      rows: output.access.map(accessRow),
    },
    ...(output.changesReadSince === null
      ? []
      : [
          {
            text: `Changes before ${inSeconds(output.changesReadSince)} were not read: audit list --company has them.`,
          },
        ]),
    output.refusals
      ? {
          title: 'Refusals; request show has more about one',
          rows: output.refusals.map(({ first, last, lastRequestId, ...counted }) => ({
            ...counted,
            first: inSeconds(first),
            last: inSeconds(last),
            'last request id': lastRequestId,
          })),
        }
      : { text: `The refusals could not be read from the log: ${output.logFault}` },
  ],
});

/** The tables answer the rest of the question, so that only a missing permission ends the command. */
const withoutLog = (error: Error) => {
  if (error.name.startsWith('AccessDenied')) throw error;
  return { counted: null, logFault: error.message };
};

const hostsText = (hosts: readonly string[] | null): string =>
  hosts === null ? 'not in the configuration' : hosts.join(', ') || 'none';

const { companyId: company, reason, requestId } = requestFields;

const refusalsQuery = (id: string): string =>
  `filter ${company} = "${id}" and ispresent(${reason})
| stats count(*) as requests, earliest(@timestamp) as first, latest(@timestamp) as last, latest(${requestId}) as lastRequestId by ${reason}
| sort requests desc`;

const refusalsIn = (row: Readonly<Record<string, string>>): z.output<typeof refusals> => ({
  reason: row[reason] ?? '',
  requests: Number(row.requests),
  first: toTimestamp(timeInLog(row.first)),
  last: toTimestamp(timeInLog(row.last)),
  lastRequestId: row.lastRequestId ?? '',
});
