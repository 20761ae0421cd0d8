import * as z from 'zod';
import { readGrants } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Contract, Parties } from '../../../lambdas/domain/contract.ts';
import { granterOf } from '../../../lambdas/domain/grant.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { type CsvLine, readCsvLines } from '../../cli/csv-file.ts';
import { changeOutcome } from '../../cli/make-change.ts';
import { createProgressBar } from '../../cli/output.ts';
import { findFile } from '../../cli/text-file.ts';
import { requireCompany, requireContract, userOption } from '../../companies/contract.ts';
import { dropEnded } from '../../companies/dropped-changes.ts';
import { changeGrants, grantRequirements, inBatches, isGrantedIn, warnOfOtherOwners } from '../../companies/grants.ts';
import { openContract, ownerColumns, ownersIn } from '../../companies/owners.ts';
import { mapConcurrently } from '../../concurrent.ts';
import { OperatorError } from '../../error.ts';

export const gatewayImport = defineCommand({
  noun: 'gateway',
  verb: 'import',
  summary:
    'Add all gateways of a CSV file to the contracts of a company with their owners, and open contracts with new owners; if the command is interrupted, run it again to continue',
  arguments: {
    companyId,
    file: {
      summary: 'userId,gatewayId on each line, in any order if a header names them, or the gatewayId alone',
      schema: z.string(),
    },
  },
  options: {
    user: {
      ...userOption.user,
      summary: 'the owner of gateways for which the file names none; optional if the company has only one',
    },
  },
  changes: true,
  shownToCompany: true,
  requirements: {
    tableActions: {
      ...grantRequirements.tableActions,
      Companies: ['BatchGetItem', 'GetItem'],
      Contracts: ['BatchGetItem', 'GetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem'],
    },
  },
  output: z.strictObject({
    companyId: z.string(),
    outcome: changeOutcome,
    owners: z.int(),
    /** The number of contracts that were opened; in a dry run, that would be opened. */
    opened: z.int(),
    /** The number of gateways that were granted; in a dry run, that would be granted. */
    granted: z.int(),
    grantedBefore: z.int(),
    refused: z.array(z.strictObject({ line: z.int(), why: z.string() })),
  }),
  run: async (context, { companyId: id, file, user }) => {
    const path = await findFile(context.host.directory, file);
    const { store } = await context.connect();
    await requireCompany(store, id);
    const { lines, usual } = await readLines(store, id, path, user);
    const { owners, refused } = ownersIn(lines);
    const found = await mapConcurrently([...owners], ([userId, gatewayIds]) =>
      planOf(store, { companyId: id, userId }, [...gatewayIds], usual),
    );
    const isEnded = new Set(found.filter((each) => each.isEnded).map(({ userId }) => userId));
    const plans = found.filter(({ userId }) => !isEnded.has(userId));
    const why = `has an owner whose contract has ended; to open it again: contract open ${id} --user <id>`;
    const isRefused = new Set(refused.map(({ line }) => line));
    const left = lines.filter(({ line, cells: [owner = ''] }) => isEnded.has(owner) && !isRefused.has(line));
    refused.push(...left.map(({ line }) => ({ line, why })));
    refused.sort((one, other) => one.line - other.line);
    const gateways = sumOf(plans, ({ gatewayIds }) => gatewayIds.length);
    const opened = plans.filter(({ isNew }) => isNew).length;
    const toGrant = sumOf(plans, ({ added }) => added.length);
    const isChange = opened + toGrant > 0;
    if (isChange) {
      const moved = sumOf(plans, (each) => each.moved);
      const ofThem = moved > 0 ? ` (${moved} of them move from another owner of ${id})` : '';
      context.talk(
        `${context.isDryRun ? 'A dry run: nothing is changed. ' : ''}Plan for ${plans.length} owners with ${gateways} gateways: ${opened} contracts to open, ${toGrant} gateways to grant${ofThem}, ${gateways - toGrant} granted before, ${refused.length} lines refused.`,
      );
      await warnOfOtherOwners(context, id, new Map(plans.map(({ userId, added }) => [userId, added])));
    }
    // Also if nothing changes: see `dropEnded`.
    const granted = context.isDryRun ? toGrant : await apply(context, id, plans);
    const changed = context.isDryRun ? ('would-change' as const) : ('changed' as const);
    return {
      companyId: id,
      outcome: isChange ? changed : ('unchanged' as const),
      owners: plans.length,
      opened,
      granted,
      grantedBefore: gateways - granted,
      refused,
    };
  },
  view: ({ companyId: id, outcome, owners, opened, granted, grantedBefore, refused }) => [
    {
      title: `${id}: ${outcome}`,
      fields: {
        owners,
        'contracts opened': opened,
        granted,
        'granted before': grantedBefore,
        'lines refused': refused.length,
      },
    },
    ...(refused.length > 0 ? [{ title: 'Refused', rows: refused }] : []),
  ],
  exits: { refused: 'lines of the file were refused; the others were applied' },
  exitCode: ({ refused }) => (refused.length > 0 ? 'refused' : 'ok'),
});

const sumOf = <Item>(items: readonly Item[], numberOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0);

/** Reads the lines. `usual` is the contract of lines without an owner, if the file may have such lines. */
const readLines = async (store: Store, id: string, path: string, user: string | undefined) => {
  const lines = await readCsvLines(path, ownerColumns, 'gatewayId');
  const other = lines.find(({ cells: [owner] }) => user !== undefined && owner !== '' && owner !== user);
  if (other)
    throw new OperatorError(
      'usage',
      `Line ${other.line} of ${path} names another owner than --user; nothing was done. Leave out --user, or correct the file.`,
    );
  const namesOwners = ownersIn(lines).owners.size > 0;
  if (namesOwners && user === undefined) return { lines, usual: undefined };
  const usual = await requireContract(store, id, user);
  const withOwner = ({ line, cells: [owner = '', ...rest] }: CsvLine): CsvLine => ({
    line,
    cells: [owner === '' ? usual.userId : owner, ...rest],
  });
  return { lines: lines.map(withOwner), usual };
};

type Plan = {
  readonly userId: string;
  /** Whether the contract has to be opened. */
  readonly isNew: boolean;
  /** Whether nothing is done, because the contract has ended. */
  readonly isEnded: boolean;
  readonly gatewayIds: readonly string[];
  readonly added: readonly string[];
  /** How many of the added ones another owner of the company loses. */
  readonly moved: number;
};

/** Plans what is left to do for an owner. The state of the usual contract stays as it is, as in `gateway grant`. */
const planOf = async (
  store: Store,
  parties: Parties,
  gatewayIds: readonly string[],
  usual: Contract | undefined,
): Promise<Plan> => {
  const { userId } = parties;
  const { contract, ownersOf } = await readGrants(store, parties, gatewayIds);
  const added = gatewayIds.filter((each) => !(contract && isGrantedIn(contract, each, ownersOf(each))));
  const moved = added.filter((each) => ![undefined, userId].includes(granterOf(ownersOf(each)))).length;
  const state = userId === usual?.userId ? 'active' : (contract?.state ?? 'unopened');
  return { userId, isNew: state === 'unopened', isEnded: state === 'ended', gatewayIds, added, moved };
};

/** Opens contracts and grants gateways, one owner after the other. Resolves to the number of gateways granted. */
const apply = async (context: OperatorContext, id: string, plans: readonly Plan[]): Promise<number> => {
  const { store } = await context.connect();
  const bar = createProgressBar(context.host);
  const total = sumOf(plans, ({ added }) => 1 + added.length);
  let [done, granted] = [0, 0];
  for (const [index, { userId, isNew, gatewayIds, added }] of plans.entries()) {
    if (isNew) await openContract(context, { companyId: id, userId });
    for (const batch of inBatches(added)) {
      const change = { userId, gatewayIds: batch, isGranted: true };
      granted += (await changeGrants(store, await context.auditContext(id, userId), change)).length;
      done += batch.length;
      bar.show(done / total, `${granted} granted, ${index} of ${plans.length} owners done`);
    }
    await dropEnded(context, id, gatewayIds);
    done += 1;
    bar.show(done / total, `${granted} granted, ${index + 1} of ${plans.length} owners done`);
  }
  bar.end();
  return granted;
};
