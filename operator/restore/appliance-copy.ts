import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { reverseGrantPrefix } from '../../lambdas/data/contracts/grants.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { type CopyTools, type DecideOnRow, putMissing, type RowPair, same } from './row-copy.ts';

/** Decides on a row of Appliances: one that is there is newer, since gateways report without an audit row. */
export const decideOnAppliance = async (tools: CopyTools, { restored, own }: RowPair): ReturnType<DecideOnRow> => {
  // A reverse row comes back with the grant that it is of, which Contracts knows.
  if (own || String(restored.sk).startsWith(reverseGrantPrefix)) return same;
  const copy = async () => {
    const auditContext = await tools.auditContext(tools.stackName);
    return !(await transact(tools.store, {
      row: putMissing(tools.store, 'Appliances', restored),
      audit: auditPut(tools.store, auditContext, { gatewayId: String(restored.gatewayId), row: String(restored.sk) }),
    }));
  };
  return copy;
};
