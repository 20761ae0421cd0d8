import { isDeepStrictEqual } from 'node:util';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import { readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { maxGrantsAtOnce, readGranters, readGrants, writeGrants } from '../../lambdas/data/contracts/grants.ts';
import { retrying } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { findById, withoutId } from '../../lambdas/domain/by-id.ts';
import { type Contract, gatewayIdsIn, grantIn, type Parties } from '../../lambdas/domain/contract.ts';
import { type GatewayOwners, grantChangedByOperator, granterOf, grantOf } from '../../lambdas/domain/grant.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type ChangeOutput, makeChange } from '../cli/make-change.ts';
import { someOf } from '../cli/output.ts';
import { mapConcurrently } from '../concurrent.ts';
import { OperatorError } from '../error.ts';
import { requireContract } from './contract.ts';
import { dropActions, dropEnded } from './dropped-changes.ts';

/** The permissions that changing grants needs if the owners are named. */
export const moveRequirements = {
  tableActions: {
    ...dropActions,
    Contracts: ['BatchGetItem', 'GetItem', 'UpdateItem'],
    Appliances: ['BatchGetItem', 'PutItem', ...dropActions.Appliances],
  },
} as const;

/** The permissions that changing grants needs if the owner may be left out: the index finds a company's only contract. */
export const grantRequirements = {
  tableActions: { ...moveRequirements.tableActions, 'Contracts/index/byCompany': ['Query'] },
} as const;

/** A change of grants of one owner. `from` is the owner who must have granted the gateways until now. */
type GrantsChange = {
  readonly userId: string;
  readonly gatewayIds: readonly string[];
  readonly isGranted: boolean;
  readonly from?: string | undefined;
};

type GrantsOutcome =
  | { readonly outcome: 'done'; readonly changedGatewayIds: readonly string[] }
  | { readonly outcome: 'contract-not-found' };

/**
 * Grants or revokes up to `maxGrantsAtOnce` gateways, each of them listed once, in one transaction with an audit row per
 * gateway. Overrides earlier changes by anybody. The change takes effect at the time in the audit context, which must come from
 * the service's clock. Skips gateways that the owner has already granted and, if `from` is given, gateways that are not granted
 * by that owner. A revocation is always stored, so that an older grant that arrives late does not apply.
 */
export const setGrants = (
  store: Store,
  auditContext: AuditContext,
  { userId, gatewayIds, isGranted, from }: GrantsChange,
): Promise<GrantsOutcome> =>
  // An attempt fails if another write has changed one of the gateways.
  retrying<GrantsOutcome>({ to: 'change grants', atMost: 5 }, async () => {
    const parties = { companyId: auditContext.companyId, userId };
    const { contract, ownersOf } = await readGrants(store, parties, gatewayIds);
    if (!contract) return { outcome: 'contract-not-found' };
    const change = { userId, isGranted };
    const decided = gatewayIds.flatMap((gatewayId) => {
      const seen = ownersOf(gatewayId);
      if (from !== undefined && granterOf(seen) !== from) return [];
      // The grant of a contract or of a partition that was restored may be an earlier one than that of the other.
      const isOutdated = grantIn(contract, gatewayId) !== undefined && !isGrantedIn(contract, gatewayId, seen);
      const known = isGranted && isOutdated ? withoutId(seen, userId) : seen;
      const decision = grantChangedByOperator(known, change, auditContext.nowMs);
      if (decision) return [{ gatewayId, seen, ...decision }];
      // The row of a contract that was lost and opened again does not have the gateway any more.
      return grantIn(contract, gatewayId) ? [] : [{ gatewayId, seen, outcome: 'applied' as const, owners: seen }];
    });
    const failed = decided.length > 0 && (await writeGrants(store, auditContext, { contract }, decided));
    return failed ? undefined : { outcome: 'done', changedGatewayIds: decided.map(({ gatewayId }) => gatewayId) };
  });

/** Whether the contract and the gateway's partition have the same grant: a loss may leave one of the two, or an earlier one. */
export const isGrantedIn = (contract: Contract, gatewayId: string, owners: GatewayOwners): boolean => {
  const owner = findById(owners, contract.userId);
  return owner?.isGranted === true && isDeepStrictEqual(grantIn(contract, gatewayId), grantOf(owner));
};

/** Grants the gateways that are not granted yet, or revokes all of them, in as many transactions as needed. */
export const changeGrantsOf = async (
  context: OperatorContext,
  { companyId, user }: { readonly companyId: string; readonly user?: string | undefined },
  isGranted: boolean,
  gatewayIds?: readonly string[],
): Promise<ChangeOutput> => {
  const { store } = await context.connect();
  const contract = await requireContract(store, companyId, user);
  const unique = [...new Set(gatewayIds ?? gatewayIdsIn(contract))];
  const isCovered = (gatewayId: string) => grantIn(contract, gatewayId) !== undefined;
  const ownersOf = isGranted ? (await readGrants(store, contract, unique)).ownersOf : () => ({});
  const changed = unique.filter((gatewayId) => !(isGranted && isGrantedIn(contract, gatewayId, ownersOf(gatewayId))));
  if (isGranted) await warnOfOtherOwners(context, companyId, new Map([[contract.userId, changed]]));
  const before = (gatewayId: string): string | null => {
    if (!isGranted && isCovered(gatewayId)) return 'granted';
    const granterId = granterOf(ownersOf(gatewayId));
    return granterId === undefined ? null : `granted by ${granterId}`;
  };
  const differences = changed.map((gatewayId) => ({
    what: `gateway ${gatewayId}${isGranted && isCovered(gatewayId) ? ', in its own partition' : ''}`,
    before: before(gatewayId),
    // Also revokes gateways that are not granted, so that an older grant that arrives late does not apply.
    after: isGranted ? 'granted' : isCovered(gatewayId) ? null : 'revoked',
  }));
  return makeChange(context, {
    companyId,
    differences,
    apply: () => changeAll(context, companyId, { userId: contract.userId, gatewayIds: changed, isGranted }),
  });
};

/** Warns of gateways that a contract of another company with another owner covers: a home has one owner. */
export const warnOfOtherOwners = async (
  context: OperatorContext,
  companyId: string,
  granted: ReadonlyMap<string, Iterable<string>>,
): Promise<void> => {
  const { store } = await context.connect();
  const gateways = [...granted].flatMap(([owner, ids]) => [...ids].map((gatewayId) => ({ owner, gatewayId })));
  const found = await mapConcurrently(gateways, async ({ owner, gatewayId }) =>
    [...(await readGranters(store, gatewayId))]
      .filter(([id, userId]) => id !== companyId && userId !== owner)
      .map(([id, userId]) => ({ gatewayId, companyId: id, userId })),
  );
  const nameOf = (parties: Parties) => `${parties.userId} at ${parties.companyId}`;
  const contracts = new Map(found.flat().map((each) => [nameOf(each), each]));
  const ended = (await readContracts(store, [...contracts.values()])).filter(({ state }) => state === 'ended');
  const isEnded = new Set(ended.map(nameOf));
  const others = found.flat().filter((each) => !isEnded.has(nameOf(each)));
  if (others.length > 0)
    context.talk(
      `Another company has another owner for ${someOf(others.map((each) => `${each.gatewayId} (${nameOf(each)})`))}. A home has one owner: check which one is right with gateway show.`,
      'warning',
    );
};

type Move = { readonly companyId: string; readonly from: string; readonly to: string };

/** Moves gateways from one owner of a company to another. Each gateway always belongs to exactly one of the two. */
export const moveGrants = async (
  context: OperatorContext,
  { companyId, from, to }: Move,
  gatewayIds: readonly string[],
): Promise<ChangeOutput> => {
  if (from === to) throw new OperatorError('usage', `--from and --to are both ${from}. Name two different owners.`);
  const { store } = await context.connect();
  const [former, next] = await Promise.all([
    requireContract(store, companyId, from),
    requireContract(store, companyId, to),
  ]);
  const moved = [...new Set(gatewayIds)].filter((gatewayId) => !grantIn(next, gatewayId));
  const foreign = moved.filter((gatewayId) => !grantIn(former, gatewayId));
  if (foreign.length > 0)
    throw new OperatorError(
      'not-found',
      `The contract of ${from} does not cover ${foreign.join(', ')}; nothing was moved. To see the current owner: gateway show.`,
    );
  const { ownersOf } = await readGrants(store, former, moved);
  const unlisted = moved.filter((gatewayId) => granterOf(ownersOf(gatewayId)) !== from);
  if (unlisted.length > 0)
    throw new OperatorError(
      'refused',
      `The contract of ${from} covers ${unlisted.join(', ')}, but the partition of the gateway does not say so; nothing was moved. To see the companies with access: gateway show. If ${from} has it, first: gateway grant ${companyId} ${unlisted.join(' ')} --user ${from}.`,
    );
  const differences = moved.map((gatewayId) => ({ what: `gateway ${gatewayId}`, before: from, after: to }));
  return makeChange(context, {
    companyId,
    differences,
    apply: () => changeAll(context, companyId, { userId: to, gatewayIds: moved, isGranted: true, from }),
  });
};

/** Grants gateways to a company, in as many transactions as needed. */
export const grantAll = (
  context: OperatorContext,
  { companyId, userId }: Parties,
  gatewayIds: readonly string[],
): Promise<void> => changeAll(context, companyId, { userId, gatewayIds, isGranted: true });

const changeAll = async (context: OperatorContext, companyId: string, change: GrantsChange): Promise<void> => {
  const { userId, gatewayIds, from } = change;
  const { store } = await context.connect();
  if (gatewayIds.length === 0) return;
  const auditContext = await context.auditContext(companyId, userId);
  for (const batch of inBatches(gatewayIds)) {
    const changed = await changeGrants(store, auditContext, { ...change, gatewayIds: batch });
    const left = batch.filter((gatewayId) => !changed.includes(gatewayId));
    if (from !== undefined && left.length > 0)
      throw new OperatorError(
        'conflict',
        `Another caller changed ${left.join(', ')} at the same time. What still belonged to ${from} is moved; check the others with gateway show.`,
      );
  }
  await dropEnded(context, companyId, gatewayIds);
};

/** Grants or revokes up to `maxGrantsAtOnce` gateways. Resolves to the ids of the changed ones. */
export const changeGrants = async (
  store: Store,
  auditContext: AuditContext,
  change: GrantsChange,
): Promise<readonly string[]> => {
  const grants = await setGrants(store, auditContext, change);
  if (grants.outcome === 'done') return grants.changedGatewayIds;
  const { companyId } = auditContext;
  throw new OperatorError(
    'conflict',
    `${companyId} lost its contract at the same time. See: company show ${companyId}.`,
  );
};

export const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxGrantsAtOnce) }, (_, batch) =>
    ids.slice(batch * maxGrantsAtOnce, (batch + 1) * maxGrantsAtOnce),
  );
