import * as z from 'zod';
import { allowlistDrift } from '../../config/allowlist.ts';
import { differenceOf } from '../../config/cidr.ts';
import type { Company as ConfiguredCompany } from '../../config/company.ts';
import { deployCommandOfTrial, isTrial } from '../../config/trial.ts';
import { findContract } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { gatewayIdsIn, type Parties } from '../../lambdas/domain/contract.ts';
import { firstOf, someOf } from '../cli/output.ts';
import { type AddressLists, isAdmittedByWaf } from './addresses.ts';
import { differenceIn } from './admission.ts';

const driftKinds = [
  /** The contract differs from the configuration; `company sync` corrects it at once. */
  'sync',
  /** Like `sync`, but the deployed policy lacks some of the new addresses: in the contract alone they have no effect. */
  'deploy-then-sync',
  /** Like `deploy-then-sync`, but that deployment would also remove addresses that the contract still allows. */
  'two-rounds',
  'policy-lacks',
  'policy-surplus',
  /** AWS WAF refuses a registered address, or admits an unregistered one. */
  'ip-sets-lack',
  'ip-sets-surplus',
  /** The contract allows addresses that the policy refuses, whether or not the configuration lists them. */
  'refused-at-the-edge',
  /** The webhook hosts of the contract differ from the configuration; `company sync` corrects it at once. */
  'webhook-hosts',
  /** The contract does not cover exactly the gateways that the configuration names. */
  'gateways',
  'not-onboarded',
  'not-configured',
] as const;

/** One difference between configuration, tables, deployed policy and IP sets. */
export const drift = z.strictObject({
  kind: z.enum(driftKinds),
  /** Null if the difference does not concern a single company. */
  companyId: z.string().nullable(),
  what: z.string(),
  remedy: z.string(),
});

export type Drift = z.output<typeof drift>;

export const isBlocked = ({ kind }: Drift): boolean => kind === 'deploy-then-sync' || kind === 'two-rounds';

/** Finds drift, in the order of its remedies: contracts first, then the deployment. */
export const findDrift = (lists: AddressLists, stage: string): Drift[] => {
  const { companies, onboarded, leftIds } = lists;
  const configured = new Map(companies.map((company) => [company.companyId, company]));
  const onboardedIds = new Set(onboarded.map(({ companyId }) => companyId));
  return [
    ...onboarded.flatMap((company) => {
      const asConfigured = configured.get(company.companyId);
      if (asConfigured)
        return [
          ...addressDrift(company, asConfigured.allowedCidrs, lists, stage),
          ...webhookHostDrift(company, asConfigured),
        ];
      // The configuration need not list a company that has left.
      return leftIds.has(company.companyId) ? [] : [notConfigured(company, stage)];
    }),
    ...companies.flatMap(({ companyId }) => (onboardedIds.has(companyId) ? [] : [notOnboarded(companyId)])),
    ...(isAdmittedByWaf(lists) ? [] : policyDrift(lists, stage)),
    ...ipSetDrift(lists),
  ];
};

const addressDrift = (
  { companyId, allowedCidrs }: Company,
  configuredCidrs: readonly string[],
  lists: AddressLists,
  stage: string,
): Drift[] => {
  const { compiledCidrs, deployedCidrs } = lists;
  const added = differenceOf(configuredCidrs, allowedCidrs);
  const removed = differenceOf(allowedCidrs, configuredCidrs);
  const ineffective = differenceOf(added, deployedCidrs);
  const gone = differenceOf(removed, deployedCidrs);
  const isStillDeployed = differenceOf(removed, gone).length > 0;
  const [sync, deploy] = [syncOf(companyId), deployOf(stage)];
  const found: Drift[] = [];
  const report = (kind: Drift['kind'], what: string, remedy: string) => found.push({ kind, companyId, what, remedy });

  const differs = `its contract ${[
    ...(added.length > 0 ? [`does not have ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`still has ${removed.join(', ')}`] : []),
  ].join(' and ')}`;
  if (added.length + removed.length > 0 && ineffective.length === 0)
    report('sync', differs, isStillDeployed && !isAdmittedByWaf(lists) ? `${sync}, then ${deploy}` : sync);
  else if (ineffective.length > 0 && differenceOf(removed, compiledCidrs).length > 0)
    report(
      'two-rounds',
      `${differs}; the deployed policy does not have ${ineffective.join(', ')}`,
      `First add ${removed.join(', ')} to config/${stage}.json again, with the new addresses, ${deploy}, ${sync}; then remove it again, ${sync}, ${deploy}`,
    );
  else if (ineffective.length > 0)
    report(
      'deploy-then-sync',
      `${differs}; the deployed policy does not have ${ineffective.join(', ')}`,
      `Deploy first: ${deploy}, then ${sync}`,
    );

  const refused = differenceOf(differenceOf(allowedCidrs, removed), deployedCidrs);
  if (refused.length > 0)
    report('refused-at-the-edge', `its contract has ${refused.join(', ')}, the deployed policy does not`, deploy);
  return found;
};

const notConfigured = ({ companyId, state }: Company, stage: string): Drift => ({
  kind: 'not-configured',
  companyId,
  what: `it was onboarded (${state}), but is not in config/${stage}.json`,
  remedy: `contract end ${companyId} --all, or add it there`,
});

const notOnboarded = (companyId: string): Drift => ({
  kind: 'not-onboarded',
  companyId,
  what: 'it is in the configuration, but was not onboarded',
  remedy: `company onboard ${companyId}, or remove it there`,
});

const policyDrift = (
  { companies, compiledCidrs, deployedCidrs, onboarded, leftIds }: AddressLists,
  stage: string,
): Drift[] => {
  const { missing, surplus } = allowlistDrift(deployedCidrs, compiledCidrs);
  const holders = onboarded.filter(
    ({ companyId, allowedCidrs }) =>
      !leftIds.has(companyId) && differenceOf(surplus, allowedCidrs).join() !== surplus.join(),
  );
  const owners = companies.filter(({ allowedCidrs }) => differenceOf(missing, allowedCidrs).join() !== missing.join());
  const namesOf = (those: readonly { readonly companyId: string }[]) => those.map((each) => each.companyId).join(', ');
  const found: Drift[] = [];
  if (missing.length > 0)
    found.push({
      kind: 'policy-lacks',
      companyId: null,
      what: `the deployed policy does not have ${missing.join(', ')} of ${namesOf(owners)}`,
      remedy: surplus.length > 0 && holders.length > 0 ? afterContracts(namesOf(holders), stage) : deployOf(stage),
    });
  if (surplus.length > 0)
    found.push({
      kind: 'policy-surplus',
      companyId: null,
      what: `the deployed policy has ${surplus.join(', ')}, which the configuration does not have`,
      remedy: holders.length > 0 ? afterContracts(namesOf(holders), stage) : deployOf(stage),
    });
  return found;
};

const ipSetDrift = ({ admittedCidrs, registeredCidrs }: AddressLists): Drift[] => {
  if (!admittedCidrs) return [];
  const { missing, surplus } = differenceIn(registeredCidrs, admittedCidrs);
  const report = (kind: Drift['kind'], what: string): Drift => ({
    kind,
    companyId: null,
    what,
    remedy: 'company sync',
  });
  return [
    ...(missing.length > 0
      ? [report('ip-sets-lack', `the IP sets do not have ${someOf(missing)}, which are registered`)]
      : []),
    ...(surplus.length > 0
      ? [report('ip-sets-surplus', `the IP sets have ${someOf(surplus)}, which no company has registered`)]
      : []),
  ];
};

/** A deployment removes the surplus addresses, so the contracts that still have them must change first. */
const afterContracts = (holders: string, stage: string) =>
  `first the remedies above for ${holders}, then ${deployOf(stage)}`;

const syncOf = (companyId: string) => `company sync ${companyId}`;

/** Returns the command that deploys the stage. */
export const deployOf = (stage: string): string =>
  isTrial(stage) ? deployCommandOfTrial(stage) : `npm run deploy -- --stage ${stage}`;

export const driftRows = (found: readonly Drift[]) =>
  found.map(({ companyId, what, remedy }) => ({ company: companyId, what, remedy }));

/** Finds webhook hosts in which contract and configuration differ. The deployed policy does not matter here. */
const webhookHostDrift = ({ companyId, webhookHosts }: Company, asConfigured: ConfiguredCompany) => {
  const configured = webhookHostsOf(asConfigured);
  const added = configured.filter((host) => !webhookHosts.includes(host));
  const removed = webhookHosts.filter((host) => !configured.includes(host));
  if (added.length + removed.length === 0) return [];
  const what = `its contract ${[
    ...(added.length > 0 ? [`does not have the webhook hosts ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`still has the webhook hosts ${removed.join(', ')}`] : []),
  ].join(' and ')}`;
  return [{ kind: 'webhook-hosts' as const, companyId, what, remedy: syncOf(companyId) }];
};

export const webhookHostsOf = ({ webhookHosts = [] }: ConfiguredCompany): readonly string[] => webhookHosts;

/**
 * Finds the contracts that do not cover exactly the gateways that the configuration lists. Skips companies without such a list,
 * whose gateways only commands grant, and ended contracts, which may keep their gateways.
 */
export const findGrantDrift = async (store: Store, companies: readonly ConfiguredCompany[]): Promise<Drift[]> => {
  const found: Drift[] = [];
  for (const { companyId, userId, gatewayIds } of companies) {
    if (userId === undefined || !gatewayIds) continue;
    const contract = await findContract(store, { companyId, userId });
    if (contract && contract.state !== 'ended')
      found.push(...grantDrift({ companyId, userId }, gatewayIds, gatewayIdsIn(contract)));
  }
  return found;
};

const grantDrift = ({ companyId, userId }: Parties, named: readonly string[], granted: readonly string[]): Drift[] => {
  const [isNamed, isGranted] = [new Set(named), new Set(granted)];
  const missing = named.filter((id) => !isGranted.has(id));
  const surplus = granted.filter((id) => !isNamed.has(id));
  const drift = (what: string, command: string): Drift => ({
    kind: 'gateways',
    companyId,
    what,
    remedy: `${command}, or change the configuration`,
  });
  return [
    ...(missing.length > 0
      ? [
          drift(
            `its contract does not cover ${someOf(missing)}`,
            `gateway grant ${companyId} ${firstOf(missing)} --user ${userId}`,
          ),
        ]
      : []),
    ...(surplus.length > 0
      ? [
          drift(
            `its contract covers ${someOf(surplus)}, which the configuration does not name`,
            `gateway revoke ${companyId} ${firstOf(surplus)} --user ${userId}`,
          ),
        ]
      : []),
  ];
};
