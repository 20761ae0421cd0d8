import { maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { listContracts } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { OperatorContext } from '../cli/context.ts';
import { dayMs, daysLeft } from '../keys/days-left.ts';
import { readAllKeys } from '../keys/present-key.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const soonDays = 14;

/** Finds companies that cannot call, soon cannot, or cannot renew, unless their contract has ended. */
export const checkKeys = async ({ connect, nowMs }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const bound = (await listContracts(store)).filter(({ state }) => state !== 'ended');
  const findings = (await Promise.all(bound.map(({ companyId }) => checkKeysOf(store, companyId, nowMs)))).flat();
  return findings.length > 0
    ? findings
    : [ok(`each company has a key for ${soonDays} days or more, and room for another`)];
};

const checkKeysOf = async (store: Store, companyId: string, nowMs: number): Promise<Finding[]> => {
  const slots = await readTakenSlots(store, companyId, nowMs);
  const findings: Finding[] = [];
  if (slots.length === 0) findings.push(await withoutValidKey(store, companyId));
  const lastMs = Math.max(...slots.map(({ expiresAtMs }) => expiresAtMs));
  if (slots.length > 0 && lastMs <= nowMs + soonDays * dayMs)
    findings.push(
      warning(
        `the last key of ${companyId} runs out at ${toTimestamp(lastMs)}, in ${daysLeft(lastMs, nowMs)} days`,
        'tell the company to make a new one with it: POST /api-keys',
      ),
    );
  if (slots.length === maxValidKeysPerCompany)
    findings.push(
      warning(
        `${companyId} has ${slots.length} valid keys and cannot make another`,
        `tell the company to delete those that it does not use: key list ${companyId} shows them`,
      ),
    );
  return findings;
};

const withoutValidKey = async (store: Store, companyId: string): Promise<Finding> => {
  const [last] = await readAllKeys(store, companyId);
  const remedy = `when the company asks: key issue ${companyId}; where it has left: contract end ${companyId}`;
  return last
    ? fault(`the last key of ${companyId} ran out at ${toTimestamp(last.expiresAtMs)}`, remedy)
    : warning(`${companyId} has no key`, remedy);
};
