import { isDeepStrictEqual } from 'node:util';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/transaction.ts';
import { type CopyTools, type Item, meanwhile, putMissing, type RowDecision, type RowPair, same } from './row-copy.ts';

/**
 * Copies a page of AuditLog: the rows that are missing, all in one transaction with a single audit row that counts them.
 * One that is there is never changed, whatever the restored table says.
 */
export const copyAuditRows = async (
  tools: CopyTools,
  pairs: readonly RowPair[],
  isPlan: boolean,
): Promise<RowDecision[]> => {
  const missing = pairs.flatMap(({ restored, own }) => (own ? [] : [restored]));
  const isCopied = isPlan || missing.length === 0 || (await putAll(tools, missing));
  return pairs.map(({ restored, own }) => {
    const what = `audit row ${String(restored.sk)} of ${String(restored.subject)}`;
    if (!own) return isCopied ? { kind: 'copied' } : meanwhile(what);
    return isDeepStrictEqual(restored, own) ? same : { kind: 'left', what, why: 'differs, and is kept' };
  });
};

const putAll = async ({ store, stackName, auditContext }: CopyTools, rows: readonly Item[]): Promise<boolean> => {
  const items: Record<string, TransactItem> = Object.fromEntries(
    rows.map((row, index) => [`row ${index}`, putMissing(store, 'AuditLog', row)]),
  );
  const audit = auditPut(store, await auditContext(stackName), { after: { copiedAuditRows: rows.length } });
  return !(await transact(store, { ...items, audit }));
};
