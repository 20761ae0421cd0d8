import { maxGrantChanges, readGrants, setGrants } from '../changes/gateway-grants.ts';
import { type ChangeOutput, makeChange } from '../cli/change.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { requireContract } from './contract-change.ts';

/** Grants or revokes those gateways that are not so already; more than fit into a transaction in several. */
export const changeGrantsOf = async (
  context: OperatorContext,
  companyId: string,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<ChangeOutput> => {
  const { store } = await context.connect();
  const { userId } = await requireContract(store, companyId);
  const changed: string[] = [];
  for (const batch of inBatches([...new Set(gatewayIds)])) {
    const granted = await readGrants(store, companyId, batch);
    changed.push(...batch.filter((gatewayId) => granted.has(gatewayId) !== isGranted));
  }
  const [before, after] = isGranted ? [null, 'granted'] : ['granted', null];
  const differences = changed.map((gatewayId) => ({ what: `gateway ${gatewayId}`, before, after }));
  const apply = async () => {
    const auditContext = await context.auditContext(companyId, userId);
    for (const batch of inBatches(changed))
      if ((await setGrants(store, auditContext, batch, isGranted)).outcome !== 'done') throw contractGone(companyId);
  };
  return makeChange(context, { companyId, differences, apply });
};

export const contractGone = (companyId: string): OperatorError =>
  new OperatorError('conflict', `${companyId} lost its contract at the same moment. Look: company show ${companyId}.`);

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxGrantChanges) }, (_, batch) =>
    ids.slice(batch * maxGrantChanges, (batch + 1) * maxGrantChanges),
  );
