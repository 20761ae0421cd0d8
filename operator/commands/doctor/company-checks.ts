import { maxValidKeysPerCompany, maxWebhooksPerCompany } from '../../../lambdas/api/limits.ts';
import { readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { listCompanies } from '../../../lambdas/data/contracts/companies.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { listWebhooks } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { canRenew, firstLastKey, hasNoUsableAddress } from '../../../lambdas/domain/key-notices.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import type { OperatorContext } from '../../cli/context.ts';
import { someOf } from '../../cli/output.ts';
import { readOnboarded } from '../../companies/admission.ts';
import { findGrantDrift } from '../../companies/drift.ts';
import { dayMs, daysLeft, keysInWords, readAllKeys } from '../../companies/keys.ts';
import { mapConcurrently } from '../../concurrent.ts';
import { findAbsentGateways } from './absent-gateways.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

export const checkGateways = async ({ config, connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const drift = await findGrantDrift(store, config.companies);
  if (drift.length === 0) return [ok('the gateways of all contracts match the configuration')];
  return drift.map(({ companyId, what, remedy }) => warning(`${companyId}: ${what}`, remedy));
};

/** Finds gateways that a contract covers but for which partners get `gateway-not-found`. */
export const checkAbsentGateways = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const companyIds = (await listCompanies(store)).map(({ companyId }) => companyId);
  const { absent, count, isComplete } = await findAbsentGateways(store, companyIds);
  const looked = isComplete ? `all ${count} that contracts cover` : `${count} of those that contracts cover`;
  if (absent.length === 0) return [ok(`${looked} are described`)];
  return [...Map.groupBy(absent, ({ companyId }) => companyId)].map(([companyId, those]) => {
    const [{ gatewayId = '', userId = '' } = {}] = those;
    const ids = those.map((each) => each.gatewayId).sort();
    return warning(
      `${companyId}: its contracts cover ${someOf(ids)}, not described yet or removed: each request for it is 404 gateway-not-found`,
      `let the gateway backend describe it (gateway.described.v1), or gateway revoke ${companyId} ${gatewayId} --user ${userId}`,
    );
  });
};

/** Returns the companies that have not left: not all of their contracts have ended, or they have none. */
const stillThere = async (store: Store) => {
  const { onboarded, leftIds } = await readOnboarded(store);
  return onboarded.filter(({ companyId }) => !leftIds.has(companyId));
};

const soonDays = 14;

/** Finds companies that cannot call, soon cannot call, or cannot renew a key. Skips companies that have left. */
export const checkKeys = async ({ connect, nowMs }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const findings = (await mapConcurrently(await stillThere(store), (each) => checkKeysOf(store, each, nowMs))).flat();
  return findings.length > 0
    ? findings
    : [ok(`each company has a key for ${soonDays} days or more, and room for another`)];
};

const checkKeysOf = async (store: Store, company: Company, nowMs: number): Promise<Finding[]> => {
  const { companyId, allowedCidrs: registered } = company;
  const slots = await readTakenSlots(store, companyId, nowMs);
  const findings: Finding[] = [];
  if (slots.length === 0) findings.push(await withoutValidKey(store, companyId));
  const stranded = slots.filter((slot) => hasNoUsableAddress(slot, registered));
  if (stranded.length > 0)
    findings.push(
      warning(
        `${keysInWords(stranded)} of ${companyId} does not work from any registered address`,
        `notify the company: it should delete the keys, or register their addresses again, which key list ${companyId} shows`,
      ),
    );
  if (slots.length > 0 && !slots.some((slot) => canRenew(slot, registered)))
    findings.push(
      warning(`no valid key of ${companyId} can create another`, `when the company asks: key issue ${companyId}`),
    );
  const lastMs = firstLastKey(slots, registered)?.expiresAtMs;
  if (lastMs !== undefined && lastMs <= nowMs + soonDays * dayMs)
    findings.push(
      warning(
        `the last key of ${companyId} expires at ${toTimestamp(lastMs)}, in ${daysLeft(lastMs, nowMs)} days`,
        'ask the company to create a new one with it: POST /api-keys',
      ),
    );
  if (slots.length === maxValidKeysPerCompany)
    findings.push(
      warning(
        `${companyId} has ${slots.length} valid keys and cannot create another`,
        `ask the company to delete unused keys: key list ${companyId} shows all of them`,
      ),
    );
  return findings;
};

const withoutValidKey = async (store: Store, companyId: string): Promise<Finding> => {
  const [last] = await readAllKeys(store, companyId);
  const remedy = `when the company asks: key issue ${companyId}; if it has left: contract end ${companyId} --all`;
  return last
    ? fault(`the last key of ${companyId} expired at ${toTimestamp(last.expiresAtMs)}`, remedy)
    : warning(`${companyId} has no key`, remedy);
};

/** Finds webhooks that were disabled as unreachable, since their companies may not know it. Skips companies that have left. */
export const checkWebhooks = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const findings = (
    await mapConcurrently(await stillThere(store), ({ companyId }) => checkWebhooksOf(store, companyId))
  ).flat();
  return findings.length > 0 ? findings : [ok('no webhook is disabled as unreachable')];
};

const checkWebhooksOf = async (store: Store, companyId: string): Promise<Finding[]> => {
  const { webhooks } = await listWebhooks(store, companyId, maxWebhooksPerCompany);
  return webhooks
    .filter(({ state, disabledBecause }) => state === 'disabled' && disabledBecause === 'unreachable')
    .map(({ webhookId, disabledAtMs = 0 }) =>
      warning(
        `${webhookId} of ${companyId} could not be reached for too long, and is disabled since ${toTimestamp(disabledAtMs)}`,
        `notify the company; when its receiver works again: webhook enable ${companyId} ${webhookId}`,
      ),
    );
};
