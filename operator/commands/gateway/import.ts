import * as z from 'zod';
import { idPattern } from '../../../lambdas/api/schemas/common.ts';
import { maxGrantsAtOnce, readGrants } from '../../../lambdas/data/contracts/grants.ts';
import { changeOutcome } from '../../cli/change.ts';
import { companyId, defineCommand } from '../../cli/command.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { encodingFaultOf, readCsvLines } from '../../cli/csv-file.ts';
import { createProgressBar } from '../../cli/output.ts';
import { findFile } from '../../cli/text-file.ts';
import { requireContract, userOption } from '../../companies/contract.ts';
import { dropEnded } from '../../companies/dropped-changes.ts';
import { changeGrants, grantRequirements, isGrantedIn } from '../../companies/grants.ts';

export const gatewayImport = defineCommand({
  noun: 'gateway',
  verb: 'import',
  summary:
    'Add all gateways of a CSV file to the contract of a company; if the command is interrupted, run it again to continue',
  arguments: {
    companyId,
    file: { summary: 'one gatewayId per line, with or without that header', schema: z.string() },
  },
  options: userOption,
  changes: true,
  shownToCompany: false,
  requirements: grantRequirements,
  output: z.strictObject({
    companyId: z.string(),
    outcome: changeOutcome,
    /** The number of gateways that were granted; in a dry run, that would be granted. */
    granted: z.int(),
    grantedBefore: z.int(),
    refused: z.array(z.strictObject({ line: z.int(), why: z.string() })),
  }),
  run: async (context, { companyId: id, file, user }) => {
    const path = await findFile(context.host.directory, file);
    const lines = await readCsvLines(path, [header]);
    const grant = await granterOf(context, id, user);
    const counts = { granted: 0, grantedBefore: 0 };
    const refused: { line: number; why: string }[] = [];
    const bar = createProgressBar(context.host);
    const batch = new Set<string>();
    const flush = async (done: number) => {
      const changed = batch.size > 0 ? await grant([...batch]) : 0;
      counts.granted += changed;
      counts.grantedBefore += batch.size - changed;
      batch.clear();
      bar.show(
        done / lines.length,
        `${counts.granted} granted, ${counts.grantedBefore} before, ${refused.length} refused`,
      );
    };
    for (const [index, { line, cells }] of lines.entries()) {
      const [gatewayId = ''] = cells;
      const why = encodingFaultOf(cells) ?? faultOf(cells);
      if (why !== undefined) refused.push({ line, why });
      else batch.add(gatewayId);
      if (batch.size === maxGrantsAtOnce) await flush(index + 1);
    }
    await flush(lines.length);
    bar.end();
    const changed = context.isDryRun ? ('would-change' as const) : ('changed' as const);
    return { companyId: id, outcome: counts.granted > 0 ? changed : ('unchanged' as const), ...counts, refused };
  },
  view: ({ companyId: id, outcome, granted, grantedBefore, refused }) => [
    { title: `${id}: ${outcome}`, fields: { granted, 'granted before': grantedBefore, refused: refused.length } },
    ...(refused.length > 0 ? [{ title: 'Refused', rows: refused }] : []),
  ],
  exits: { refused: 'lines of the file were refused; the others were applied' },
  exitCode: ({ refused }) => (refused.length > 0 ? 'refused' : 'ok'),
});

/** Returns a function that grants gateways and resolves to the number of new ones. In a dry run, it only counts them. */
const granterOf = async (context: OperatorContext, id: string, user: string | undefined) => {
  const { store, readStoreTimeMs } = await context.connect();
  const contract = await requireContract(store, id, user);
  const auditContext = await context.auditContext(id, contract.userId);
  const counted = new Set<string>();
  const countNew = async (gatewayIds: readonly string[]): Promise<number> => {
    const { ownersOf } = await readGrants(store, contract, gatewayIds);
    const isNew = (each: string) => !counted.has(each) && !isGrantedIn(contract, each, ownersOf(each));
    const found = gatewayIds.filter(isNew);
    for (const each of found) counted.add(each);
    return found.length;
  };
  return async (gatewayIds: readonly string[]): Promise<number> => {
    if (context.isDryRun) return countNew(gatewayIds);
    const act = { ...auditContext, nowMs: await readStoreTimeMs() };
    const changed = await changeGrants(store, act, { userId: contract.userId, gatewayIds, isGranted: true });
    await dropEnded(context, id, gatewayIds);
    return changed.length;
  };
};

const header = 'gatewayId';

/** The error does not quote the line: a wrong file may contain secrets. */
const faultOf = ([gatewayId = '', ...more]: readonly string[]) => {
  if (more.length > 0) return `has more than one column; only ${header} is expected`;
  if (!idPattern.test(gatewayId)) return 'is not a gateway id: 1 to 64 of the characters A-Z a-z 0-9 . _ -';
  return undefined;
};
