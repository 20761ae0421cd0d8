import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { grantIsSince, reverseGrantPrefix } from '../../lambdas/data/contracts/grants.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { readGrants } from '../changes/gateway-grants.ts';
import { type CopyTools, type DecideOnRow, type Item, putMissing, type RowPair, same } from './row-copy.ts';

/** Decides on a row of Appliances: one that is there is newer, since gateways report without an audit row. */
export const decideOnAppliance = async (tools: CopyTools, { restored, own }: RowPair): ReturnType<DecideOnRow> => {
  if (own) return same;
  if (String(restored.sk).startsWith(reverseGrantPrefix)) return decideOnLostReverseGrant(tools, restored);
  const copy = async () => {
    const auditContext = await tools.auditContext(tools.stackName);
    return !(await transact(tools.store, {
      row: putMissing(tools.store, 'Appliances', restored),
      audit: auditPut(tools.store, auditContext, { gatewayId: String(restored.gatewayId), row: String(restored.sk) }),
    }));
  };
  return copy;
};

/** A reverse row is of a grant, which Contracts knows: one of a grant that is gone, or was given anew, does not come back. */
const decideOnLostReverseGrant = async (tools: CopyTools, reverse: Item): ReturnType<DecideOnRow> => {
  const { store } = tools;
  const gatewayId = String(reverse.gatewayId);
  const companyId = String(reverse.sk).slice(reverseGrantPrefix.length);
  if (!(await readGrants(store, companyId, [gatewayId])).has(gatewayId)) return same;
  return async () =>
    !(await transact(store, {
      grant: grantIsSince(store, { companyId, gatewayId }, Number(reverse.grantedAtMs)),
      reverse: putMissing(store, 'Appliances', reverse),
      audit: auditPut(store, await tools.auditContext(companyId), { gatewayId, row: String(reverse.sk) }),
    }));
};
