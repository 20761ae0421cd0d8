import { toContractItem, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { ownersKey, ownersPrefix } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { byIds } from '../../lambdas/domain/by-id.ts';
import { consentGivenAt, noConsent } from '../../lambdas/domain/consent.ts';
import { grantOf } from '../../lambdas/domain/grant.ts';
import { timesOf } from '../../lambdas/domain/permission.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { type ApplianceState, installedAppliance } from '../../simulator/appliance-state.ts';
import { type ApplianceProfile, circuitsOf } from '../../simulator/factory-settings.ts';
import { installAppliance, putAll, type Row, readRows } from './demo-store.ts';

export type DemoOwner = {
  readonly userId: string;
  readonly contract: 'active' | 'ended';
  readonly consent: 'accepted' | 'outdated' | 'withdrawn';
  readonly gateways: readonly {
    readonly gatewayId: string;
    readonly heatingCircuits: readonly { readonly circuitId: string }[];
  }[];
};

const ownerCount = 250;

/** The owners with a difference: number `n` has it if `n % every === rest`. */
const ended = { every: 10, rest: 0 };
const outdated = { every: 10, rest: 5 };
const withdrawn = { every: 10, rest: 7 };
const withTwoGateways = { every: 25, rest: 1 };

const is = (number: number, { every, rest }: { readonly every: number; readonly rest: number }) =>
  number % every === rest;

const ownerAt = (number: number): DemoOwner => ({
  userId: `owner-${5000 + number}`,
  contract: is(number, ended) ? 'ended' : 'active',
  consent: is(number, outdated) ? 'outdated' : is(number, withdrawn) ? 'withdrawn' : 'accepted',
  gateways: [5000, ...(is(number, withTwoGateways) ? [6000] : [])].map((first) => {
    const appliance = applianceOf(`gw-${first + number}`);
    const ofHeating = circuitsOf(appliance).filter(({ family }) => family === 'heating');
    const heatingCircuits = ofHeating.map(({ circuitId }) => ({ circuitId }));
    return { gatewayId: appliance.gatewayId, heatingCircuits };
  }),
});

/** The home with episodes. Its name is in Hebrew script ("house by the sea"), to show right-to-left text. */
const eventful: ApplianceProfile = { gatewayId: 'gw-5042', name: 'בית על הים', isEventful: true };

/** A small home that changes only on request, so that hundreds of homes do not load the machine. */
const applianceOf = (gatewayId: string): ApplianceProfile =>
  gatewayId === eventful.gatewayId ? eventful : { gatewayId, name: `Home ${gatewayId}`, isQuiet: true };

export const fleetOwners: readonly DemoOwner[] = Array.from({ length: ownerCount }, (_, index) => ownerAt(index + 1));

export const fleetAppliances: readonly ApplianceProfile[] = fleetOwners.flatMap(({ gateways }) =>
  gateways.map(({ gatewayId }) => applianceOf(gatewayId)),
);

/**
 * Installs one quiet appliance and copies its rows to the other quiet ones, which is fast. The row of the first appliance's
 * owners, which `signFleet` may have written by then, is not copied.
 */
export const installFleet = async (store: Store, nowMs: number): Promise<ApplianceState[]> => {
  const [model, ...others] = fleetAppliances.filter(({ isQuiet }) => isQuiet);
  if (!model) return [];
  const state = await installAppliance(store, model, nowMs);
  const installed = (await readRows(store, model.gatewayId)).filter(({ sk }) => !String(sk).startsWith(ownersPrefix));
  const rows = JSON.stringify(installed);
  const rowsOf = ({ gatewayId }: ApplianceProfile) => JSON.parse(rows.replaceAll(model.gatewayId, gatewayId)) as Row[];
  await putAll(store, 'Appliances', others.flatMap(rowsOf));
  const lively = await installAppliance(store, eventful, nowMs);
  return [state, lively, ...others.map((appliance) => installedAppliance(appliance, nowMs))];
};

/** Writes a company's contracts with all owners, and the grants of their gateways. */
export const signFleet = async (
  store: Store,
  companyId: string,
  requiredConsentVersion: number,
  nowMs: number,
): Promise<void> => {
  const sinceMs = addMonths(nowMs, -12);
  const known = { isGranted: true, ...timesOf({ nowMs: sinceMs }) };
  const consents = {
    accepted: consentGivenAt(requiredConsentVersion, sinceMs),
    outdated: consentGivenAt(requiredConsentVersion - 1, sinceMs),
    withdrawn: { ...noConsent, consentChangedAtMs: sinceMs, consentClaimedAtMs: sinceMs },
  };
  const contracts = fleetOwners.map(({ userId, contract, consent, gateways }) =>
    toContractItem({
      ...unopenedContract({ companyId, userId }),
      state: contract,
      sinceMs,
      ...consents[consent],
      gateways: byIds(gateways.map(({ gatewayId }) => [gatewayId, grantOf(known)] as const)),
    }),
  );
  const granters = fleetOwners.flatMap(({ userId, gateways }) =>
    gateways.map(({ gatewayId }) => ({ ...ownersKey(companyId, gatewayId), owners: byIds([[userId, known]]) })),
  );
  await Promise.all([putAll(store, 'Contracts', contracts), putAll(store, 'Appliances', granters)]);
};
