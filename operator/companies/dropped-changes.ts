import { listChangesOpenSince } from '../../lambdas/data/appliances/open-since-index.ts';
import { dropEndedChanges } from '../../lambdas/data/ended-changes.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { gatewayIdsIn } from '../../lambdas/domain/contract.ts';
import type { Requester } from '../../lambdas/domain/open-change.ts';
import type { OperatorContext } from '../cli/context.ts';
import { requireContract } from './contract.ts';

/** The permissions to drop open changes, in addition to those of the command that ends the access. */
export const dropActions = {
  Appliances: ['Query', 'UpdateItem'],
  Companies: ['BatchGetItem'],
  Contracts: ['BatchGetItem'],
  AuditLog: ['PutItem'],
} as const;

/** The permissions to find the open changes of a company. */
export const findActions = { Appliances: ['BatchGetItem'], 'Appliances/index/byOpenSince': ['Query'] } as const;

/**
 * Drops the open changes of a company on these gateways that it may not make any more. Call it after each command that ends
 * access, even if it changed nothing: an earlier run may have been interrupted before it dropped anything.
 */
export const dropEnded = async (
  context: OperatorContext,
  companyId: string,
  gatewayIds: readonly string[],
): Promise<void> => {
  if (context.isDryRun || gatewayIds.length === 0) return;
  const { store } = await context.connect();
  const { companyId: _, ...dropContext } = await context.auditContext(companyId);
  const { requiredVersion: requiredConsentVersion } = context.config.consent;
  const dropped = await dropEndedChanges(store, dropContext, { companyId, gatewayIds, requiredConsentVersion });
  if (dropped > 0) context.talk(`Dropped the open changes of ${companyId} that rested on it: ${dropped} items.`);
};

/** Like `dropEnded`, for all gateways of a contract. */
export const dropEndedOfContract = async (
  context: OperatorContext,
  { companyId, user }: { readonly companyId: string; readonly user?: string | undefined },
): Promise<void> => {
  const { store } = await context.connect();
  await dropEnded(context, companyId, gatewayIdsIn(await requireContract(store, companyId, user)));
};

/** Like `dropEnded`, for all gateways on which the company has open changes. */
export const dropEndedOfCompany = async (context: OperatorContext, companyId: string): Promise<void> => {
  const { store } = await context.connect();
  const changes = await findOpenChanges(store, context.nowMs, (requester) => requester.companyId === companyId);
  await dropEnded(context, companyId, [...new Set(changes.map(({ gatewayId }) => gatewayId))]);
};

/** More open changes than a stage ever has. */
const mostChanges = 1_000_000;

/**
 * Returns the open changes of all gateways that were asked for by such a request. They come from an index, which may lag a
 * moment behind: the relay asks again before it sends what was requested in that moment.
 */
export const findOpenChanges = async (store: Store, nowMs: number, isAsked: (requester: Requester) => boolean) => {
  // The clock of this machine may be behind the service's.
  const { changes } = await listChangesOpenSince(store, nowMs + 24 * 3_600_000, mostChanges);
  return changes.filter(({ desiredBy }) => Object.values(desiredBy).some(isAsked));
};
