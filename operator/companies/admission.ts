import type { StageConfig } from '../../config/schema.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { hasLeft } from '../../lambdas/data/contracts/contracts.ts';
import { backOff } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import type { ServiceAction } from '../cli/roles.ts';
import type { IpSets } from '../connection/ip-sets.ts';
import { OperatorError } from '../error.ts';

/** What it takes to write a company whose addresses AWS WAF admits, beside reading all companies. */
export const admissionActions = ['wafv2:GetIPSet', 'wafv2:UpdateIPSet'] as const satisfies ServiceAction[];

/**
 * Writes a company that registers these addresses, so that it never has one that the IP sets refuse: they go in before, and
 * what it had and nobody has any more goes out after. Where a deployment writes the allowlist, it only writes the company.
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
  // Whoever has read the companies before this one was written may have taken its addresses out.
  if (isWritten) await ipSets.add(after);
  const left = isWritten ? differenceIn(after, before).surplus : after;
  if (left.length > 0) await bringInLine(left);
  return result;
};

/** Lets the IP sets hold what the companies have registered, and nothing else. Reads whole tables. */
export const bringIpSetsInLine = async ({ connect, config }: OperatorContext): Promise<IpSetChanges> => {
  const { store, ipSets } = await connect();
  if (!ipSets) return { added: [], removed: [] };
  return settle(ipSets, async () => registeredCidrs(await readOnboarded(store), config));
};

type IpSetChanges = { readonly added: string[]; readonly removed: string[] };

const rounds = 25;

/**
 * Puts in what is registered, takes out what is not, and looks again after each change: a company that somebody has written
 * meanwhile, which was not known yet, is let in again. So of any who write at once the last one leaves all in line.
 * It reads the IP sets before the companies, or it would take out what a company lets in and registers in between.
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
    `Others have registered addresses at each of ${rounds} attempts to bring the IP sets in line. Run company sync.`,
  );
};

/** What a set of blocks lacks, block by block, and what it has beyond them. */
export const differenceIn = (registered: readonly string[], held: readonly string[]) => ({
  missing: without(registered, new Set(held)),
  surplus: without(held, new Set(registered)),
});

const without = (cidrs: readonly string[], others: ReadonlySet<string>) => cidrs.filter((cidr) => !others.has(cidr));

type Onboarded = { readonly onboarded: readonly Company[]; readonly leftIds: ReadonlySet<string> };

/** Each block once. Who has left keeps its addresses as long as the configuration names it or the store has the registrations. */
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

/** All companies of the tables, and those that have left: all contracts that they had have ended. Reads a whole table. */
export const readOnboarded = async (store: Store): Promise<Onboarded> => {
  const onboarded = await listCompanies(store);
  const left = await Promise.all(
    onboarded.map(async ({ companyId }) => ((await hasLeft(store, companyId)) ? [companyId] : [])),
  );
  return { onboarded, leftIds: new Set(left.flat()) };
};
