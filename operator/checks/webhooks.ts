import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { listWebhooks } from '../../lambdas/data/webhooks/webhooks.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Finds webhooks that were given up, whose companies may not know it; those of a contract that has ended get no pokes. */
export const checkWebhooks = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const bound = (await listContracts(store)).filter(({ state }) => state !== 'ended');
  const findings = (await Promise.all(bound.map(({ companyId }) => checkWebhooksOf(store, companyId)))).flat();
  return findings.length > 0 ? findings : [ok('none was given up')];
};

const checkWebhooksOf = async (store: Store, companyId: string): Promise<Finding[]> => {
  const { webhooks } = await listWebhooks(store, companyId, maxWebhooksPerCompany);
  return webhooks
    .filter(({ state, disabledBecause }) => state === 'disabled' && disabledBecause === 'unreachable')
    .map(({ webhookId, disabledAtMs = 0 }) =>
      warning(
        `${webhookId} of ${companyId} could not be reached for too long, and is disabled since ${toTimestamp(disabledAtMs)}`,
        `tell the company; when its receiver is well: webhook enable ${companyId} ${webhookId}`,
      ),
    );
};
