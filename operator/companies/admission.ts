import type { StageConfig } from '../../config/schema.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { hasLeft } from '../../lambdas/data/contracts/contracts.ts';
import { backOff } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import type { ServiceAction } from '../cli/roles.ts';
import { mapConcurrently } from '../concurrent.ts';
import type { IpSets } from '../connection/ip-sets.ts';
import { OperatorError } from '../error.ts';

/** The permissions to admit the addresses of a company in AWS WAF, in addition to reading all companies. */
export const admissionActions = ['wafv2:GetIPSet', 'wafv2:UpdateIPSet'] as const satisfies ServiceAction[];

/**
 * Writes a company and its addresses so that the IP sets never refuse a registered address: adds the new addresses before the
 * write, and removes former ones that no company has registered after it. Only writes the company if the stage has no IP sets.
 */
export const writeAdmitted = async <Result extends { readonly outcome: string }>(
  { connect }: Pick<OperatorContext, 'connect'>,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  write: () => Promise<Result>,
): Promise<Result> => {
  const { store, ipSets } = await connect();
  if (!ipSets) return write();
  const bringInLine = (cidrs: readonly string[]) =>
    settle(
      ipSets,
      async () => blocksOf(await listCompanies(store)),
      (cidr) => cidrs.includes(cidr),
    );
  await ipSets.add(after);
  const result = await write().catch(async (error) => {
    await bringInLine(after);
    throw error;
  });
  const isWritten = result.outcome === 'changed' || result.outcome === 'onboarded';
  // A concurrent run that read the companies before this write may have removed the addresses.
  if (isWritten) await ipSets.add(after);
  const left = isWritten ? differenceIn(after, before).surplus : after;
  if (left.length > 0) await bringInLine(left);
  return result;
};

/** Makes the IP sets contain exactly the addresses that companies have registered. Reads whole tables. */
export const updateIpSets = async ({ connect, config }: OperatorContext): Promise<IpSetChanges> => {
  const { store, ipSets } = await connect();
  if (!ipSets) return { added: [], removed: [] };
  return settle(ipSets, async () => registeredCidrs(await readOnboarded(store), config));
};

type IpSetChanges = { readonly added: string[]; readonly removed: string[] };

const rounds = 25;

/**
 * Adds the registered addresses, removes all others, and compares again after each change, to admit a company that was written
 * meanwhile. Of several concurrent runs, the last one therefore leaves the IP sets correct. Reads the IP sets before the
 * companies: otherwise it would remove an address that another run adds and registers between the two reads.
 */
const settle = async (
  ipSets: IpSets,
  readRegistered: () => Promise<readonly string[]>,
  isConcerned: (cidr: string) => boolean = () => true,
): Promise<IpSetChanges> => {
  const changes: IpSetChanges = { added: [], removed: [] };
  for (let round = 0; round < rounds; round++) {
    const held = (await ipSets.read()).filter(isConcerned);
    const registered = (await readRegistered()).filter(isConcerned);
    const { missing, surplus } = differenceIn(registered, held);
    if (missing.length + surplus.length === 0) return changes;
    await ipSets.add(missing);
    await ipSets.remove(surplus);
    changes.added.push(...missing);
    changes.removed.push(...surplus);
    await backOff(round);
  }
  throw new OperatorError(
    'conflict',
    `Gave up updating the IP sets after ${rounds} attempts, each in conflict with another registration. Run company sync.`,
  );
};

/** Returns the registered blocks that are not held, and the held blocks that are not registered. Compares whole blocks. */
export const differenceIn = (registered: readonly string[], held: readonly string[]) => ({
  missing: without(registered, new Set(held)),
  surplus: without(held, new Set(registered)),
});

const without = (cidrs: readonly string[], others: ReadonlySet<string>) => cidrs.filter((cidr) => !others.has(cidr));

type Onboarded = { readonly onboarded: readonly Company[]; readonly leftIds: ReadonlySet<string> };

/** Returns each block once. Skips a company that has left, unless the configuration lists it or the store registers. */
export const registeredCidrs = (
  { onboarded, leftIds }: Onboarded,
  { registrations, companies }: Pick<StageConfig, 'registrations' | 'companies'>,
): string[] => {
  const named = new Set(companies.map(({ companyId }) => companyId));
  const counted = onboarded.filter(
    ({ companyId }) => registrations === 'store' || named.has(companyId) || !leftIds.has(companyId),
  );
  return blocksOf(counted);
};

const blocksOf = (companies: readonly Company[]) => [...new Set(companies.flatMap(({ allowedCidrs }) => allowedCidrs))];

/** The permissions to read all companies, and which of them have left. */
export const onboardedReads = {
  Companies: ['Scan'],
  'Contracts/index/byCompany': ['Query'],
} as const;

/** Reads all companies of the tables, and the ids of those whose contracts have all ended. Reads a whole table. */
export const readOnboarded = async (store: Store): Promise<Onboarded> => {
  const onboarded = await listCompanies(store);
  const left = await mapConcurrently(onboarded, async ({ companyId }) =>
    (await hasLeft(store, companyId)) ? [companyId] : [],
  );
  return { onboarded, leftIds: new Set(left.flat()) };
};
