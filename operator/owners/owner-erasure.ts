import { eraseGatewayState, readGatewayState } from '../../lambdas/data/appliances/erasure.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { changeContract, erasureParties, findContract } from '../../lambdas/data/contracts/contracts.ts';
import { eraseContract, erasureTimes, forgetOwner, putErasure } from '../../lambdas/data/contracts/erasure.ts';
import { maxGrantsAtOnce } from '../../lambdas/data/contracts/grants.ts';
import { findGone, type IsGone, removeGone } from '../../lambdas/data/feed/purge.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { withdrawnByOperator } from '../../lambdas/domain/consent.ts';
import { type Contract, endedByOperator, gatewayIdsIn, isChangedSinceErasure } from '../../lambdas/domain/contract.ts';
import { endsAccess, isPastForGood } from '../../lambdas/domain/feed-event.ts';
import type { OperatorContext } from '../cli/context.ts';
import { dropEnded } from '../companies/dropped-changes.ts';
import { setGrants } from '../companies/grants.ts';
import { mapConcurrently } from '../concurrent.ts';
import { OperatorError } from '../error.ts';
import { stageSubjects } from './audit-entry.ts';
import { mentionsIn, readMentions, readRecentChanges, replaceInAudit, withPseudonym } from './audit-pseudonyms.ts';
import {
  belongsToAnother,
  gatewayIdsOf,
  readChanges,
  readContractsOf,
  readGrantsOf,
  type StoredChange,
} from './known-owner.ts';

/** How much data of an owner there is, or was before the erasure. */
export type ErasureCounts = {
  /** Contracts that were not erased before. */
  readonly contracts: number;
  /** Rows of gateways with a grant of the owner. */
  readonly grants: number;
  /** Gateways whose state is deleted: the owner had them, and no other owner has or had them since. */
  readonly gateways: number;
  /** Events in feeds, except events that report the end of a company's access. */
  readonly events: number;
  /** Rows of the audit log that mention the owner. */
  readonly changes: number;
};

/** The stored data of an owner to erase. */
type FoundOwner = {
  readonly userId: string;
  /** The id that replaces the owner's id in the audit log. */
  readonly pseudonym: string;
  /** When the owner was last erased; null if never, or so long ago that no earlier event can arrive. */
  readonly erasedAtMs: number | null;
  readonly gatewayIds: readonly string[];
  /** The partitions of the audit log in which a reason or value may mention the owner. */
  readonly subjects: readonly string[];
  readonly changes: readonly StoredChange[];
  readonly counts: ErasureCounts;
};

/** An owner and a stage that may have data of the owner. */
type Asked = { readonly userId: string; readonly pseudonym: string; readonly stackName: string };

/** Finds the data of an owner, including what an interrupted erasure has left. Changes nothing. */
export const findErasable = async (store: Store, { userId, pseudonym, stackName }: Asked): Promise<FoundOwner> => {
  const erasure = await findContract(store, erasureParties(userId));
  const contracts = await readContractsOf(store, userId);
  const own = await readChanges(store, { by: 'user', id: userId });
  // An interrupted run has written its audit rows under the pseudonym.
  const erased = await readChanges(store, { by: 'user', id: pseudonym });
  const gatewayIds = gatewayIdsOf(contracts, [...own, ...erased]);
  const [grants, mentions, withState] = [[], [], []] as [number[], StoredChange[], string[]];
  for (const gatewayId of gatewayIds) {
    grants.push((await readGrantsOf(store, userId, gatewayId)).length);
    mentions.push(...(await readMentions(store, { by: 'gateway', id: gatewayId }, userId)));
    if (!(await belongsToAnother(store, userId, gatewayId)) && (await readGatewayState(store, gatewayId)).length > 0)
      withState.push(gatewayId);
  }
  const companyIds = [
    ...contracts.map(({ companyId }) => companyId),
    ...[...own, ...erased].map(({ subject }) => subject),
  ];
  // Audit rows of other targets, such as the deletion of a key, may mention the owner too.
  const subjects = [...new Set([...companyIds, ...Object.values(stageSubjects(stackName))])];
  for (const id of subjects) mentions.push(...(await readMentions(store, { by: 'company', id }, userId)));
  const changes = [...new Map([...own, ...mentions].map((row) => [`${row.subject} ${row.sk}`, row])).values()];
  const events = await mapConcurrently(contracts, (contract) => countEvents(store, contract));
  return {
    userId,
    pseudonym,
    gatewayIds,
    subjects,
    changes,
    erasedAtMs: erasure?.erasedAtMs ?? null,
    counts: {
      contracts: contracts.filter(isLeft).length,
      grants: sumOf(grants),
      gateways: withState.length,
      events: sumOf(events),
      changes: changes.length,
    },
  };
};

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** Whether a contract holds more than the time of an erasure. */
const isLeft = ({ removeAt }: Contract): boolean => removeAt === null;

const ofOwner: IsGone = (event) => !endsAccess(event);

const countEvents = async (store: Store, { companyId, userId }: Contract): Promise<number> => {
  let events = 0;
  for await (const { gone } of findGone(store, { companyId, userIds: new Set([userId]) }, ofOwner))
    events += sumOf(gone.map(({ ids }) => ids.size));
  return events;
};

/**
 * Erases an owner: first the data that lets a company act or an event add data, last the data that a second run needs to find
 * the rest. Another run completes an interrupted one.
 */
export const eraseOwner = async (context: OperatorContext, found: FoundOwner): Promise<void> => {
  const { store, readStoreTimeMs, stackName } = await context.connect();
  const { userId, counts } = found;
  const nowMs = await readStoreTimeMs();
  const isLeftAnywhere = (await readContractsOf(store, userId)).some(isLeft);
  // A run that only completes an earlier one keeps its time, so that later decisions of the owner stay.
  const erasedAtMs = isLeftAnywhere ? nowMs : (found.erasedAtMs ?? nowMs);
  const act = async (companyId: string): Promise<AuditContext> => {
    const { reason, ...given } = await context.auditContext(companyId, found.pseudonym);
    return { ...given, nowMs, reason: withPseudonym(reason, found) as string | undefined };
  };
  const run: Run = { store, stackName, act, found, nowMs, erasedAtMs };
  const record = async (state: 'begun' | 'done') => {
    const ofStage = await act(stageSubjects(stackName).erasures);
    return auditPut(store, ofStage, { after: { state, ...counts } });
  };
  // From here on, earlier events create no contract, so the contracts that are read below are complete.
  const begin = { erasure: putErasure(store, userId, erasedAtMs), audit: await record('begun') };
  refuseIfOvertaken((await transact(store, begin)) !== undefined);
  const contracts = await readContractsOf(store, userId);
  const gatewayIds = [...new Set([...found.gatewayIds, ...gatewayIdsOf(contracts, [])])];
  for (const contract of contracts) await endContract(run, contract);
  // Before the owner is forgotten, and at each company: what an interrupted run has ended is found by its gateways.
  for (const { companyId } of contracts) await dropEnded(context, companyId, gatewayIds);
  for (const gatewayId of gatewayIds) await forgetAtGateway(run, gatewayId);
  await removeEvents(run, contracts);
  await replaceIds(run, contracts);
  for (const contract of (await readContractsOf(store, userId)).filter(isLeft)) {
    // Decisions of the owner or an operator since the erasure are kept.
    if (isChangedSinceErasure(contract)) continue;
    refuseIfOvertaken(!(await eraseContract(store, await act(contract.companyId), contract)));
  }
  await transact(store, { audit: await record('done') });
};

type Run = {
  readonly store: Store;
  readonly stackName: string;
  /** Resolves to the audit context of a change to a company, without the owner's id. */
  readonly act: (companyId: string) => Promise<AuditContext>;
  readonly found: FoundOwner;
  readonly nowMs: number;
  readonly erasedAtMs: number;
};

/** Ends a contract, its consent and its grants. */
const endContract = async ({ store, act, found, nowMs, erasedAtMs }: Run, contract: Contract): Promise<void> => {
  // A contract that was erased before gets the new time too, so that events between the two erasures become stale.
  const isKnown = (contract.erasedAtMs ?? 0) >= erasedAtMs;
  if (!isLeft(contract) && isKnown) return;
  const auditContext = await act(contract.companyId);
  const change = isLeft(contract)
    ? {
        ...endedByOperator(contract, nowMs),
        ...withdrawnByOperator(contract, nowMs),
        erasedAtMs: isKnown ? contract.erasedAtMs : erasedAtMs,
      }
    : erasureTimes(erasedAtMs);
  refuseIfOvertaken((await changeContract(store, auditContext, contract, change)).outcome !== 'changed');
  const ids = gatewayIdsIn(contract);
  for (let start = 0; start < ids.length; start += maxGrantsAtOnce) {
    const gatewayIds = ids.slice(start, start + maxGrantsAtOnce);
    await setGrants(store, auditContext, { userId: found.userId, gatewayIds, isGranted: false });
  }
};

const forgetAtGateway = async ({ store, stackName, act, found, nowMs, erasedAtMs }: Run, gatewayId: string) => {
  const { userId } = found;
  // Before `forgetOwner` removes the times of the owner's grants, which the next run compares again after an interruption.
  if (!(await belongsToAnother(store, userId, gatewayId))) await eraseGatewayState(store, gatewayId, nowMs);
  const forgotten = await forgetOwner(store, await act(stackName), { userId, gatewayId, erasedAtMs });
  refuseIfOvertaken(forgotten === 'conflict');
};

const removeEvents = async ({ store, found }: Run, contracts: readonly Contract[]): Promise<void> => {
  for (const { companyId } of contracts)
    for await (const { gone } of findGone(store, { companyId, userIds: new Set([found.userId]) }, isPastForGood))
      for (const each of gone) await removeGone(store, companyId, each);
};

/** Replaces the owner's id in the audit log, also in rows that were written since the owner's data was found. */
const replaceIds = async ({ store, found, nowMs }: Run, contracts: readonly Contract[]): Promise<void> => {
  const { userId, pseudonym, subjects, changes } = found;
  const companyIds = new Set([...subjects, ...contracts.map(({ companyId }) => companyId)]);
  const recent = await mapConcurrently([...companyIds], (id) => readRecentChanges(store, id, nowMs));
  await replaceInAudit(store, [...changes, ...mentionsIn(recent.flat(), userId)], { userId, pseudonym });
};

const refuseIfOvertaken = (isOvertaken: boolean): void => {
  if (isOvertaken)
    throw new OperatorError(
      'conflict',
      'Data of the owner was changed by another caller at the same time. What was erased until then stays erased; run the command again for the rest.',
    );
};
