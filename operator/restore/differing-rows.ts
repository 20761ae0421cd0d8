import { isDeepStrictEqual } from 'node:util';
import type { StoredAuditRow } from '../../lambdas/data/audit.ts';
import { toContract } from '../../lambdas/data/contracts/contracts.ts';
import { erasedSince, isErasedSince, isErasure } from './missing-contracts.ts';
import {
  type CopyTools,
  changedConcurrently,
  type Item,
  keyTextOf,
  notCopied,
  putBack,
  putInPlaceOf,
  type RowDecision,
  type RowPair,
  same,
} from './row-copy.ts';

/** The attributes that change without an audit row, and the audit rows that explain a difference of a row. */
type Explained = {
  readonly unaudited: readonly string[];
  readonly explains: (act: StoredAuditRow, pair: Required<RowPair>) => boolean;
};

/**
 * The tables whose rows change only with an audit row. Gateways report to Appliances, and messages change Webhooks, without one;
 * a row of AuditLog never changes.
 */
const tables = {
  Companies: {
    unaudited: [],
    // An onboarding also names the first key.
    explains: ({ userId, webhookId, gatewayId, after = {} }, { restored, own }) =>
      (userId ?? webhookId ?? gatewayId) === undefined &&
      Object.keys(after).some((name) => Object.hasOwn({ ...restored, ...own }, name)),
  },
  Contracts: {
    unaudited: [],
    // Requests on behalf of the owner and events that are sent by hand do not change the contract. A grant by another owner does.
    explains: ({ userId, gatewayId, after }, { restored }) =>
      after?.formerUserId === restored.userId ||
      (userId === restored.userId && (gatewayId === undefined ? after : after?.isGranted) !== undefined),
  },
  ApiKeys: {
    unaudited: ['lastUsedOn'],
    // The slot of an expired key may have another key since.
    explains: ({ keyId }, { restored, own }) => keyId !== undefined && [restored.keyId, own?.keyId].includes(keyId),
  },
} satisfies Readonly<Record<string, Explained>>;

export type ComparedTable = keyof typeof tables;

export const comparedTables = Object.keys(tables) as [ComparedTable, ...ComparedTable[]];

export const isCompared = (table: string): table is ComparedTable => Object.hasOwn(tables, table);

/** Returns the names of the attributes in which a row differs from the restored one. */
export const differingIn = (table: ComparedTable, { restored, own }: Required<RowPair>): string[] => {
  const { unaudited }: Explained = tables[table];
  return Object.keys({ ...restored, ...own }).filter(
    (name) => !unaudited.includes(name) && !isDeepStrictEqual(restored[name], own?.[name]),
  );
};

/**
 * Sets back each row of a page that differs from the restored one, unless an audit row after the second explains the
 * difference. Resolves to the outcome of each row; a plan changes nothing. Ignores missing rows.
 */
export const setBackDiffering = (
  tools: CopyTools,
  table: ComparedTable,
  pairs: readonly RowPair[],
  isPlan: boolean,
): Promise<RowDecision[]> => Promise.all(pairs.map((pair) => setBack(tools, table, pair, isPlan)));

const setBack = async (
  tools: CopyTools,
  table: ComparedTable,
  { restored, own }: RowPair,
  isPlan: boolean,
): Promise<RowDecision> => {
  if (!own) return same;
  const attributes = differingIn(table, { restored, own });
  if (attributes.length === 0) return same;
  const what = `${table} ${keyTextOf(table, restored)}`;
  if (table === 'Contracts') {
    const [now, then] = [toContract(own), toContract(restored)];
    if (isErasure(then) || isErasedSince(now, then)) return erasedSince(then);
  }
  const { unaudited, explains }: Explained = tables[table];
  const companyId = String(restored.companyId);
  const act = (await tools.records.of(companyId)).since.findLast((each) => explains(each, { restored, own }));
  if (act) return notCopied(what, `changed since: ${act.operation} at ${act.at} (request ${act.requestId})`);
  const kept = Object.entries(own).filter(([name]) => unaudited.includes(name));
  const row = { ...restored, ...Object.fromEntries(kept) };
  const { keyId, userId } = restored as { keyId?: string; userId?: string };
  const copy = putBack(tools, {
    subject: companyId,
    ...(userId !== undefined && { userId }),
    // The values of a key are not for the audit log.
    onRecord:
      keyId === undefined ? { before: valuesOf(own, attributes), after: valuesOf(restored, attributes) } : { keyId },
    items: { row: putInPlaceOf(tools.store, table, row, own) },
  });
  return isPlan || (await copy()) ? { kind: 'set back', what, attributes } : changedConcurrently(what);
};

const valuesOf = (row: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
