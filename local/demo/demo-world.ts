import { randomUUID } from 'node:crypto';
import { UserFacingError } from 'serve-stack';
import { readJsonIfWhole } from 'serve-stack/host';
import type { Company } from '../../config/company.ts';
import type { StageConfig } from '../../config/schema.ts';
import type { FamilyName } from '../../lambdas/api/endpoints/circuit-endpoints.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { findApiKey } from '../../lambdas/data/api-keys/api-keys.ts';
import { readGateways } from '../../lambdas/data/appliances/appliances.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { isSameKey, isValidAt, parseKey } from '../../lambdas/domain/api-key.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import type { ApplianceState } from '../../simulator/appliance-state.ts';
import { type ApplianceProfile, circuitsOf } from '../../simulator/factory-settings.ts';
import { appliancesOf } from './appliances/demo-appliances.ts';
import { installAppliance } from './demo-store.ts';
import { type DemoOwner, fleetAppliances, fleetOwners, installFleet, signFleet } from './fleet.ts';

type DemoCircuit = { readonly circuitId: string; readonly timeProgramIds: readonly string[] };

/** The address and the keys of a company of the demo world. */
type Access = {
  readonly companyId: string;
  readonly sourceIp: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly expiredApiKey: string;
  readonly expiredKeyId: string;
};

/** A company that acts for one owner. */
export type DemoCompany = Access & {
  readonly userId: string;
  readonly gateways: readonly {
    readonly gatewayId: string;
    readonly heatingCircuits: readonly DemoCircuit[];
    readonly dhwCircuits: readonly DemoCircuit[];
  }[];
};

/** A company that acts for many owners. */
type DemoFleet = Access & { readonly owners: readonly DemoOwner[] };

/** Differences of some companies' contracts from an active one with up-to-date consent. */
const peculiarities: Readonly<Record<string, (requiredConsentVersion: number) => Partial<Contract>>> = {
  globex: (requiredConsentVersion) => ({ acceptedConsentVersion: requiredConsentVersion - 1 }),
  initech: () => ({ state: 'ended' }),
};

/** The companies of the demo world and the current states of their appliances. */
export type DemoWorld = { readonly companies: Demo['companies']; readonly appliances: readonly ApplianceState[] };

/** Returns the kept world of an earlier run if all of it still exists; otherwise seeds a new one. */
export const prepareDemoWorld = async (store: Store, config: StageConfig, kept: DemoWorld): Promise<DemoWorld> => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  if (kept.companies.length > 0 && (await isStillThere(store, kept, nowMs))) return kept;
  return seedDemoWorld(store, config, nowMs);
};

/** Installs only the appliances that the companies of the configuration will act on once they are onboarded. */
export const prepareEmptyWorld = async (store: Store, { companies }: StageConfig): Promise<DemoWorld> => {
  const nowMs = Date.now();
  const appliances = await Promise.all([
    companies.some(isFleet) ? installFleet(store, nowMs) : [],
    ...companies.flatMap(appliancesOf).map((appliance) => installAppliance(store, appliance, nowMs)),
  ]);
  return { companies: [], appliances: appliances.flat() };
};

/** Returns all appliances of the demo world with their factory settings. */
export const demoAppliances = ({ companies }: StageConfig): ApplianceProfile[] => [
  ...companies.flatMap(appliancesOf),
  ...(companies.some(isFleet) ? fleetAppliances : []),
];

/**
 * Onboards the companies of the configuration as an operator would, each with a valid and an expired key, and installs
 * the appliances that they may act on.
 */
const seedDemoWorld = async (store: Store, config: StageConfig, nowMs: number): Promise<DemoWorld> => {
  const seeded = await Promise.all(
    config.companies.flatMap((company) => {
      if (actsForOne(company)) return seedCompany(store, config, company, nowMs);
      return isFleet(company) ? seedFleet(store, config, company, nowMs) : [];
    }),
  );
  return {
    companies: seeded.map(({ company }) => company),
    appliances: seeded.flatMap(({ appliances }) => appliances),
  };
};

type CompanyOfOne = Company & { readonly userId: string };

/** Whether the company acts for one owner, named in the configuration. */
const actsForOne = (company: Company): company is CompanyOfOne => company.userId !== undefined;

/** Whether the company has the fleet. Any other company that names no owner is left to the operator, who onboards it. */
export const isFleet = (company: Company): boolean => company.companyId === 'fleet' && !actsForOne(company);

const seedCompany = async (store: Store, config: StageConfig, company: CompanyOfOne, nowMs: number) => {
  const { companyId, userId } = company;
  const appliances = appliancesOf(company);
  const [states, access] = await Promise.all([
    Promise.all(appliances.map((appliance) => installAppliance(store, appliance, nowMs))),
    admit(store, company, nowMs),
    signContract(store, company, config.consent.requiredVersion, nowMs),
  ]);
  for (const { gatewayId } of appliances) await grantGateway(store, { companyId, userId }, gatewayId, sinceMs(nowMs));
  const demoCompany: DemoCompany = {
    ...access,
    userId,
    gateways: appliances.map((appliance) => ({
      gatewayId: appliance.gatewayId,
      heatingCircuits: demoCircuits(appliance, 'heating'),
      dhwCircuits: demoCircuits(appliance, 'dhw'),
    })),
  };
  return { company: demoCompany, appliances: states };
};

const seedFleet = async (store: Store, config: StageConfig, company: Company, nowMs: number) => {
  const [appliances, access] = await Promise.all([
    installFleet(store, nowMs),
    admit(store, company, nowMs),
    signFleet(store, company.companyId, config.consent.requiredVersion, nowMs),
  ]);
  const fleet: DemoFleet = { ...access, owners: fleetOwners };
  return { company: fleet, appliances };
};

/** Registers a company and issues its keys. */
const admit = async (store: Store, company: Company, nowMs: number): Promise<Access> => {
  const { companyId, name, allowedCidrs, webhookHosts = [] } = company;
  const [{ valid, expired }] = await Promise.all([
    issueKeys(store, companyId, nowMs),
    putCompany(store, { companyId, name, state: 'active', allowedCidrs, webhookHosts }),
  ]);
  return {
    companyId,
    sourceIp: (allowedCidrs[0] ?? '').replace(/\/.*$/, ''),
    apiKey: valid.apiKey,
    keyId: valid.keyId,
    expiredApiKey: expired.apiKey,
    expiredKeyId: expired.keyId,
  };
};

const demoCircuits = (appliance: ApplianceProfile, family: FamilyName): DemoCircuit[] =>
  circuitsOf(appliance)
    .filter((circuit) => circuit.family === family)
    .map(({ circuitId, timePrograms }) => ({ circuitId, timeProgramIds: Object.keys(timePrograms) }));

/** Contracts, consent and grants start a year ago. */
const sinceMs = (nowMs: number): number => addMonths(nowMs, -12);

const signContract = (
  store: Store,
  { companyId, userId }: CompanyOfOne,
  requiredConsentVersion: number,
  nowMs: number,
) => {
  return putContract(store, {
    ...unopenedContract({ companyId, userId }),
    state: 'active',
    sinceMs: sinceMs(nowMs),
    ...consentGivenAt(requiredConsentVersion, sinceMs(nowMs)),
    ...peculiarities[companyId]?.(requiredConsentVersion),
  });
};

/** Sequential: concurrent creations would contend for a slot. */
const issueKeys = async (store: Store, companyId: string, nowMs: number) => {
  const expired = await issueKey(store, companyId, addMonths(nowMs, -7));
  const valid = await issueKey(store, companyId, nowMs);
  return { expired, valid };
};

const issueKey = async (store: Store, companyId: string, nowMs: number) => {
  const auditContext = { companyId, nowMs, requestId: randomUUID(), operation: 'seedDemoWorld', actorKey: null };
  const creation = await createApiKey(store, auditContext);
  if (creation.outcome === 'created') return creation.key;
  throw new UserFacingError(
    `No demo key could be issued for ${companyId} (${creation.outcome}). Delete one of its keys, or start without --keep.`,
  );
};

/** Whether the store still has the appliances of an earlier run and its demo keys, and the keys are still valid. */
const isStillThere = async (store: Store, { companies, appliances }: DemoWorld, nowMs: number): Promise<boolean> => {
  const gatewayIds = companies.flatMap(gatewayIdsOf);
  const [found, ...keys] = await Promise.all([
    readGateways(store, gatewayIds),
    ...companies.map((company) => isKeyStillValid(store, company, nowMs)),
  ]);
  const known = new Set(appliances.map(({ gatewayId }) => gatewayId));
  return gatewayIds.every((id) => known.has(id)) && found.length === gatewayIds.length && keys.every(Boolean);
};

const gatewayIdsOf = (company: DemoCompany | DemoFleet): string[] => {
  const ofOwners = 'owners' in company ? company.owners : [company];
  return ofOwners.flatMap(({ gateways }) => gateways.map(({ gatewayId }) => gatewayId));
};

const isKeyStillValid = async (store: Store, { apiKey, companyId, keyId }: Access, nowMs: number) => {
  const presented = parseKey(apiKey);
  const record = await findApiKey(store, companyId, keyId);
  return presented && record && isSameKey(presented, record) && isValidAt(record, nowMs);
};

/** All that a client needs to try the service: the content of `demo.json`. */
export type Demo = {
  readonly baseUrl: string;
  readonly caFile: string;
  readonly companies: readonly (DemoCompany | DemoFleet)[];
};

/** Returns the company with this id. Throws UserFacingError if it does not exist or acts for many owners. */
export const companyIn = ({ companies }: Pick<Demo, 'companies'>, companyId: string): DemoCompany => {
  const company = companies.find((each) => each.companyId === companyId);
  if (company && 'userId' in company) return company;
  throw new UserFacingError(`The demo world has no company ${companyId} that acts for one owner.`);
};

/** Returns the companies in a `demo.json`; an empty list if the file cannot be read. */
export const companiesIn = (demoFile: string): Demo['companies'] => readJsonIfWhole<Demo>(demoFile)?.companies ?? [];
