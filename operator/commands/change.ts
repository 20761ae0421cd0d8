import * as z from 'zod';
import { changeItemOf } from '../../lambdas/data/appliances/appliances.ts';
import {
  listChangesOpenSince,
  listOpenChanges,
  type OpenChange,
} from '../../lambdas/data/appliances/open-since-index.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { dropOnGateway, readWhyEnded } from '../../lambdas/data/ended-changes.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { newestOf, type Requester } from '../../lambdas/domain/open-change.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { requestedChangeMessage } from '../../lambdas/outbound/requested-change-message.ts';
import { sendMessage } from '../../lambdas/runtime/senders.ts';
import { companyId, defineCommand, idOf, limitOption } from '../cli/command.ts';
import { changeOutcome, changeOutput, changeView, makeChange } from '../cli/make-change.ts';
import { validUntilOf } from '../companies/change-fate.ts';
import { dropActions, findActions, findOpenChanges } from '../companies/dropped-changes.ts';
import { stageSubjects } from '../owners/audit-entry.ts';

/** The ids of a requested change that its appliance has not applied yet. */
const openChange = z.strictObject({
  gatewayId: z.string(),
  item: z.string(),
  version: z.int(),
  requestedAt: z.iso.datetime(),
  companyId: z.string(),
  requestId: z.string(),
  /** When the first of the desired properties expires; null if none does. */
  validUntil: z.iso.datetime().nullable(),
  /** The code with which the appliance refused the change; null if it did not. */
  refusedAs: z.string().nullable(),
});

type Presented = z.output<typeof openChange>;

/** `openSince`: since when the item has an open change. Later requests build on the earlier ones. */
const listedChange = openChange.extend({ openSince: z.iso.datetime() });

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const age = z
  .string()
  .regex(/^\d{1,4}[mhd]$/, 'is not an age; write minutes, hours or days, like 30m, 1h or 2d.')
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.slice(-1)] ?? 0));

export const changeList = defineCommand({
  noun: 'change',
  verb: 'list',
  summary: 'List requested changes that their appliances have not applied for a long time, oldest first',
  arguments: {},
  options: {
    olderThan: {
      summary: 'open for longer than this: minutes, hours or days, like 30m, 1h or 2d',
      placeholder: 'age',
      schema: age.prefault('1h'),
    },
    limit: limitOption(10_000),
  },
  changes: false,
  requirements: { tableActions: { Appliances: ['BatchGetItem'], 'Appliances/index/byOpenSince': ['Query'] } },
  output: z.strictObject({
    changes: z.array(listedChange),
    /** Whether there are more changes than the limit. */
    hasMore: z.boolean(),
  }),
  run: async (context, { olderThan, limit }) => {
    const { store } = await context.connect();
    const { changes, hasMore } = await listChangesOpenSince(store, context.nowMs - olderThan, limit);
    if (hasMore) context.talk(`There are more: raise --limit (${limit}), or --older-than.`);
    return {
      changes: changes.map((change) => ({ ...presentOpenChange(change), openSince: change.openSince })),
      hasMore,
    };
  },
  view: ({ changes }) => [
    {
      rows: changes.map(({ openSince, ...change }) => ({ 'open since': openSince, ...openChangeRow(change) })),
      ifEmpty: 'no open change is that old',
    },
  ],
});

export const changeResend = defineCommand({
  noun: 'change',
  verb: 'resend',
  summary: 'Send the open requested changes of a gateway to the gateway backend again, if their company may still act',
  arguments: { gatewayId: { summary: 'the gateway', schema: idOf('gateway') } },
  options: {},
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: {
      Appliances: ['Query'],
      Companies: ['BatchGetItem'],
      Contracts: ['BatchGetItem'],
      AuditLog: ['PutItem'],
    },
    queueActions: { requestedChanges: ['SendMessage'] },
  },
  output: z.strictObject({
    gatewayId: z.string(),
    outcome: changeOutcome,
    changes: z.array(openChange),
  }),
  run: async (context, { gatewayId }) => {
    const { store, integrations, stackName } = await context.connect();
    const found = await listOpenChanges(store, gatewayId);
    const auditContext = await context.auditContext(stageSubjects(stackName).queues);
    const { requiredVersion: requiredConsentVersion } = context.config.consent;
    const whyEnded = await readWhyEnded(store, { requiredConsentVersion, nowMs: auditContext.nowMs }, found);
    const isEnded = (requester: Requester) => whyEnded(requester) !== undefined;
    const open = found.filter(({ desiredBy }) => !Object.values(desiredBy).some(isEnded));
    const resent = { gatewayId, changes: open.map(presentOpenChange) };
    if (open.length < found.length)
      context.talk(
        `Not sent, because access ended or \`validUntil\` has passed: ${found.length - open.length} items. The service drops what has expired within a minute, and the rest when the gateway reconnects. \`change drop\` drops all now.`,
      );
    if (open.length === 0) {
      if (found.length === 0) context.talk('Nothing to send: no requested change of this gateway is open.');
      return { ...resent, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was sent.');
      return { ...resent, outcome: 'would-change' as const };
    }
    await transact(store, { audit: auditPut(store, auditContext, { gatewayId }) });
    // A new delivery id, so that the queue does not deduplicate the messages.
    for (const change of open)
      await sendMessage(
        integrations.sqs,
        integrations.urlOf('requestedChanges'),
        requestedChangeMessage(change, auditContext.requestId),
      );
    return { ...resent, outcome: 'changed' as const };
  },
  view: ({ gatewayId, outcome, changes }) => [
    { title: `${gatewayId}: ${outcome}`, rows: changes.map(openChangeRow), ifEmpty: 'no open change' },
  ],
});

export const changeDrop = defineCommand({
  noun: 'change',
  verb: 'drop',
  summary: 'Drop open requested changes of a company, for example those requested with a stolen key',
  arguments: { companyId },
  options: {
    key: {
      summary: 'only what this key requested, even if the key is deleted; default: all keys',
      placeholder: 'key-id',
      schema: idOf('key').optional(),
    },
    gateway: {
      summary: 'only changes of this gateway; default: all gateways',
      placeholder: 'id',
      schema: idOf('gateway').optional(),
    },
  },
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: {
      ...findActions,
      Appliances: [...findActions.Appliances, ...dropActions.Appliances],
      AuditLog: dropActions.AuditLog,
    },
  },
  confirmedBy: (input) => input.companyId,
  output: changeOutput,
  run: async (context, { companyId: id, key, gateway }) => {
    const { store } = await context.connect();
    const isAsked = (requester: Requester) =>
      requester.companyId === id && (key === undefined || requester.keyId === key);
    const found = await findOpenChanges(store, context.nowMs, isAsked);
    const changes = found.filter(({ gatewayId }) => gateway === undefined || gatewayId === gateway);
    const differences = changes.flatMap(({ gatewayId, sk, desired, desiredBy }) =>
      Object.entries(desired)
        .filter(([name]) => isAsked(desiredBy[name] as Requester))
        .map(([name, value]) => ({
          what: `${gatewayId} ${itemName(sk)}: ${name}`,
          before: typeof value === 'object' ? JSON.stringify(value) : value,
          after: null,
        })),
    );
    const apply = async () => {
      const { companyId: _, ...dropContext } = await context.auditContext(id);
      for (const gatewayId of new Set(changes.map((change) => change.gatewayId)))
        await dropOnGateway(store, dropContext, gatewayId, {
          isAsked,
          whyDropped: async () => () => 'dropped-by-operator',
        });
    };
    return makeChange(context, { companyId: id, differences, apply });
  },
  view: changeView,
});

const presentOpenChange = ({ gatewayId, sk, version, desiredBy, lastRefusal }: OpenChange): Presented => {
  const { atMs, companyId, requestId } = newestOf(desiredBy);
  return {
    gatewayId,
    item: itemName(sk),
    version,
    requestedAt: toTimestamp(atMs),
    companyId,
    requestId,
    validUntil: validUntilOf(desiredBy),
    refusedAs: lastRefusal?.reason ?? null,
  };
};

/** `circuit heating hc1`, `time-program heating hc1 1` */
export const itemName = (sk: string): string => Object.values(changeItemOf(sk)).join(' ');

const openChangeRow = ({ gatewayId, item, version, requestedAt, validUntil, companyId, refusedAs }: Presented) => ({
  gateway: gatewayId,
  item,
  version,
  requested: requestedAt,
  'valid until': validUntil,
  company: companyId,
  'refused as': refusedAs,
});
