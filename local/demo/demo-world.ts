import { randomUUID } from 'node:crypto';
import type { StageConfig } from '../../config/schema.ts';
import { createApiKey } from '../../lambdas/data/api-key-creation.ts';
import { findApiKey } from '../../lambdas/data/api-keys.ts';
import { putContract } from '../../lambdas/data/contracts.ts';
import type { Store } from '../../lambdas/data/store.ts';
import { isSameKey, isValidAt, parseKey } from '../../lambdas/domain/api-key.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { ExplainedError } from '../explained-error.ts';

type DemoCircuit = { readonly circuitId: string; readonly timeProgramIds: readonly string[] };

export type DemoCompany = {
  readonly companyId: string;
  readonly sourceIp: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly expiredApiKey: string;
  readonly expiredKeyId: string;
  readonly userId: string;
  readonly gateways: readonly {
    readonly gatewayId: string;
    readonly heatingCircuits: readonly DemoCircuit[];
    readonly dhwCircuits: readonly DemoCircuit[];
  }[];
};

/** How a company's contract differs from one in good order. */
const peculiarities: Readonly<Record<string, (requiredConsentVersion: number) => Partial<Contract>>> = {
  globex: (requiredConsentVersion) => ({ acceptedConsentVersion: requiredConsentVersion - 1 }),
  initech: () => ({ state: 'ended' }),
};

const timeProgramIds = ['1', '2'];

/** Onboards the companies of the configuration as an operator would, each with a valid and an expired key. */
export const seedDemoWorld = (store: Store, config: StageConfig, nowMs: number): Promise<DemoCompany[]> =>
  Promise.all(config.companies.map((company) => seedCompany(store, config, company, nowMs)));

const seedCompany = async (
  store: Store,
  { consent }: StageConfig,
  { companyId, name, userId, allowedCidrs, gatewayIds }: StageConfig['companies'][number],
  nowMs: number,
): Promise<DemoCompany> => {
  const sinceMs = addMonths(nowMs, -12);
  await putContract(store, {
    companyId,
    name,
    userId,
    allowedCidrs,
    state: 'active',
    sinceMs,
    acceptedConsentVersion: consent.requiredVersion,
    acceptedAtMs: sinceMs,
    ...peculiarities[companyId]?.(consent.requiredVersion),
  });
  const expired = await issueKey(store, companyId, addMonths(nowMs, -7));
  const valid = await issueKey(store, companyId, nowMs);
  return {
    companyId,
    sourceIp: (allowedCidrs[0] ?? '').replace(/\/.*$/, ''),
    apiKey: valid.apiKey,
    keyId: valid.keyId,
    expiredApiKey: expired.apiKey,
    expiredKeyId: expired.keyId,
    userId,
    gateways: gatewayIds.map((gatewayId) => ({
      gatewayId,
      heatingCircuits: ['hc1', 'hc2'].map((circuitId) => ({ circuitId, timeProgramIds })),
      dhwCircuits: ['dhw1'].map((circuitId) => ({ circuitId, timeProgramIds })),
    })),
  };
};

const issueKey = async (store: Store, companyId: string, nowMs: number) => {
  const act = { companyId, nowMs, requestId: randomUUID(), operation: 'seedDemoWorld', actorKeyId: null };
  const creation = await createApiKey(store, act);
  if (creation.outcome === 'created') return creation.key;
  throw new ExplainedError(
    `No demo key could be issued for ${companyId} (${creation.outcome}). Delete one of its keys, or start without --keep.`,
  );
};

/** Whether the store of an earlier run still holds its demo keys, and they are valid. */
export const isStillThere = async (
  store: Store,
  companies: readonly DemoCompany[],
  nowMs: number,
): Promise<boolean> => {
  const checks = await Promise.all(
    companies.map(async ({ apiKey, companyId, keyId }) => {
      const presented = parseKey(apiKey);
      const record = await findApiKey(store, companyId, keyId);
      return presented && record && isSameKey(presented, record) && isValidAt(record, nowMs);
    }),
  );
  return checks.every(Boolean);
};
