import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { changeContract } from '../../lambdas/data/contracts/contract-changes.ts';
import { grantPrefix, toContract, toContractItem } from '../../lambdas/data/contracts/contracts.ts';
import {
  type GrantTimes,
  grantIsNotRevoked,
  guardPrefix,
  putReverseGrant,
} from '../../lambdas/data/contracts/grants.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { isOnboardingStep } from '../companies/onboarding.ts';
import { changedOffRecord, takenAway } from './contract-since.ts';
import { type CopyTools, type DecideOnRow, type Item, putMissing, type RowPair, same } from './row-copy.ts';

/** Decides on a row of Contracts: what somebody changed on record since stays as they left it. */
export const decideOnContract = async (tools: CopyTools, { restored, own }: RowPair): ReturnType<DecideOnRow> => {
  // An onboarding that was under way at that second has to be run again.
  if (isOnboardingStep(restored)) return same;
  if (restored.sk !== 'CONTRACT') {
    if (own) return same;
    return String(restored.sk).startsWith(guardPrefix)
      ? decideOnLostGuard(tools, restored)
      : decideOnLostGrant(tools, restored);
  }
  return own
    ? decideOnChanged(tools, toContract(restored), toContract(own))
    : decideOnLost(tools, toContract(restored));
};

const decideOnChanged = async (tools: CopyTools, restored: Contract, own: Contract): ReturnType<DecideOnRow> => {
  const { contract: recorded } = await tools.records.of(own.companyId);
  const change = changedOffRecord(own, restored, recorded);
  if (Object.keys(change).length === 0) return same;
  const copy = async () => {
    const auditContext = await tools.auditContext(own.companyId);
    return (await changeContract(tools.store, auditContext, own, change)).outcome === 'changed';
  };
  return copy;
};

/** Comes back without what was taken from the company on record. */
const decideOnLost = async (tools: CopyTools, restored: Contract): ReturnType<DecideOnRow> => {
  const { companyId } = restored;
  const { contract: recorded } = await tools.records.of(companyId);
  const contract = { ...restored, ...takenAway(restored, recorded) };
  const copy = async () => {
    const auditContext = { ...(await tools.auditContext(companyId)), userId: contract.userId };
    return !(await transact(tools.store, {
      contract: putMissing(tools.store, 'Contracts', toContractItem(contract)),
      audit: auditPut(tools.store, auditContext, { after: contract }),
    }));
  };
  return copy;
};

/** Comes back with its reverse row, unless it was revoked since: on record, or by now, which its guard row tells. */
const decideOnLostGrant = async (tools: CopyTools, grant: Item): ReturnType<DecideOnRow> => {
  const { store } = tools;
  const companyId = String(grant.companyId);
  const gatewayId = String(grant.sk).slice(grantPrefix.length);
  const { grants } = await tools.records.of(companyId);
  if (grants.get(gatewayId)?.isGranted === false)
    return { kind: 'left', what: `gateway ${gatewayId} of ${companyId}`, why: 'revoked on record' };
  const copy = async () => {
    const target = { gatewayId, before: { isGranted: false }, after: { isGranted: true } };
    return !(await transact(store, {
      guard: grantIsNotRevoked(store, { companyId, gatewayId }),
      grant: putMissing(store, 'Contracts', grant),
      reverse: putReverseGrant(store, { companyId, gatewayId }, grant as object as GrantTimes),
      audit: auditPut(store, await tools.auditContext(companyId), target),
    }));
  };
  return copy;
};

/** Comes back, so that events from before it stay stale. */
const decideOnLostGuard = (tools: CopyTools, guard: Item) => async (): Promise<boolean> => {
  const companyId = String(guard.companyId);
  const target = { gatewayId: String(guard.sk).slice(guardPrefix.length), row: String(guard.sk) };
  return !(await transact(tools.store, {
    guard: putMissing(tools.store, 'Contracts', guard),
    audit: auditPut(tools.store, await tools.auditContext(companyId), target),
  }));
};
