import type { AuditContext } from '../../lambdas/data/audit/audit-log.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { maxGrantChanges, readGrants, setGrants } from '../changes/gateway-grants.ts';
import { type ChangeOutput, type Difference, makeChange } from '../cli/change.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { requireContract } from './contract-change.ts';

/** Grants those gateways that are not granted, or revokes all of them; more than fit into a transaction in several. */
export const changeGrantsOf = async (
  context: OperatorContext,
  companyId: string,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<ChangeOutput> => {
  const { store, readStoreTimeMs } = await context.connect();
  const { userId } = await requireContract(store, companyId);
  const unique = [...new Set(gatewayIds)];
  const granted = new Set<string>();
  for (const batch of inBatches(unique))
    for (const gatewayId of await readGrants(store, companyId, batch)) granted.add(gatewayId);
  const changed = unique.filter((gatewayId) => !(isGranted && granted.has(gatewayId)));
  const differences = changed.map((gatewayId) => differenceOf(gatewayId, granted.has(gatewayId), isGranted));
  const apply = async () => {
    const auditContext = { ...(await context.auditContext(companyId, userId)), nowMs: await readStoreTimeMs() };
    for (const batch of inBatches(changed)) await changeGrants(store, auditContext, batch, isGranted);
  };
  return makeChange(context, { companyId, differences, apply });
};

/** What is not granted is revoked all the same: nothing that was added before can come late. */
const differenceOf = (gatewayId: string, isGranted: boolean, toBeGranted: boolean): Difference => ({
  what: `gateway ${gatewayId}`,
  before: isGranted ? 'granted' : null,
  after: toBeGranted ? 'granted' : isGranted ? null : 'revoked',
});

/** Changes up to `maxGrantChanges` of them; resolves to those that it has changed. */
export const changeGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<readonly string[]> => {
  const grants = await setGrants(store, auditContext, gatewayIds, isGranted);
  if (grants.outcome === 'done') return grants.changedGatewayIds;
  const { companyId } = auditContext;
  throw new OperatorError(
    'conflict',
    `${companyId} lost its contract at the same moment. Look: company show ${companyId}.`,
  );
};

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxGrantChanges) }, (_, batch) =>
    ids.slice(batch * maxGrantChanges, (batch + 1) * maxGrantChanges),
  );
