import * as z from 'zod';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { flag } from '../cli/arguments.ts';
import { type ChangeOutput, changeOutput, changeView, makeChange } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { compareWithRecord, differencesIn, type Reconciliation, takeAway } from '../restore/reconciliation.ts';
import { restorePoint } from '../restore/restored-tables.ts';

const given = z.strictObject({ companyId: z.string(), what: z.string(), command: z.string() });

export const restoreReconcile = defineCommand({
  noun: 'restore',
  verb: 'reconcile',
  summary:
    'Take away again what AuditLog says was taken away since that second: keys, gateways, consent, addresses, suspended and ended contracts; put the rows of grants in order; list what was given',
  arguments: {},
  options: { to: restorePoint, check: flag('only tell what differs from the record; needs no --reason') },
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['ConditionCheckItem', 'DeleteItem', 'Query'],
      AuditLog: ['PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'DeleteItem', 'PutItem'],
      Contracts: ['ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'],
    },
  },
  changesNothing: ({ check }) => check,
  output: z.strictObject({
    to: z.iso.datetime(),
    isCheck: z.boolean(),
    /** Whether AuditLog has any row after that second; without one, it cannot tell what was done since. */
    hasLaterRecord: z.boolean(),
    changes: z.array(changeOutput),
    given: z.array(given),
  }),
  run: async (context, { to, check }) => {
    const found = await compareAll(context, to);
    const hasLaterRecord = found.some(({ isLater }) => isLater);
    if (!hasLaterRecord)
      context.talk(
        `AuditLog has no row after ${toTimestamp(to)}. Either nothing was changed since, or that part of the record is lost: then nobody can tell which keys were deleted since, and each company should replace its keys.`,
      );
    const differing = found.filter((reconciliation) => differencesIn(reconciliation).length > 0);
    const changes: ChangeOutput[] = [];
    for (const reconciliation of differing)
      changes.push(check ? shownOnly(reconciliation) : await reconcile(context, reconciliation));
    return {
      to: toTimestamp(to),
      isCheck: check,
      hasLaterRecord,
      changes,
      given: found.flatMap(({ contract, given: each }) =>
        each.map((one) => ({ companyId: contract.companyId, ...one })),
      ),
    };
  },
  view: ({ isCheck, hasLaterRecord, changes, given: listed }) => [
    ...(changes.length > 0 ? changes.flatMap(changeView) : [{ text: asRecorded(isCheck, hasLaterRecord) }]),
    { title: 'Given since, and not there: run the command if it is still right', rows: listed, ifEmpty: 'nothing' },
  ],
  exits: { drift: 'with --check, something is there that was taken away on record' },
  exitCode: ({ isCheck, changes }) => (isCheck && changes.length > 0 ? 'drift' : 'ok'),
});

const asRecorded = (isCheck: boolean, hasLaterRecord: boolean): string =>
  `${isCheck ? 'Nothing would be' : 'Nothing was'} taken away: ${hasLaterRecord ? 'all is as recorded' : 'there is no record since'}.`;

/** One company after the other. */
const compareAll = async (context: OperatorContext, to: number): Promise<Reconciliation[]> => {
  const { store } = await context.connect();
  const found: Reconciliation[] = [];
  for (const contract of await listContracts(store)) found.push(await compareWithRecord(store, contract, to));
  return found;
};

const shownOnly = (reconciliation: Reconciliation): ChangeOutput => ({
  companyId: reconciliation.contract.companyId,
  outcome: 'would-change',
  differences: differencesIn(reconciliation),
});

const reconcile = async (context: OperatorContext, reconciliation: Reconciliation): Promise<ChangeOutput> => {
  const { companyId, userId } = reconciliation.contract;
  const { store } = await context.connect();
  const apply = async () => takeAway(store, await context.auditContext(companyId, userId), reconciliation);
  return makeChange(context, { companyId, differences: differencesIn(reconciliation), apply });
};
