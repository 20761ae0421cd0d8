import type { StageConfig } from '../../config/schema.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { hasLeft } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { OperatorContext } from '../cli/context.ts';
import type { ServiceAction } from '../cli/roles.ts';
import { OperatorError } from '../error.ts';

/** What it takes to write a company whose addresses AWS WAF admits, beside reading all of them. */
export const admissionActions = ['wafv2:GetIPSet', 'wafv2:UpdateIPSet'] as const satisfies ServiceAction[];

/**
 * Writes a company that registers these addresses, so that it never has one that the IP sets refuse: they go in before, and
 * what nobody has any more goes out after. Where a deployment writes the allowlist, it only writes the company.
 */
export const writeAdmitted = async <Result>(
  context: OperatorContext,
  allowedCidrs: readonly string[],
  write: () => Promise<Result>,
): Promise<Result> => {
  const { ipSets } = await context.connect();
  if (!ipSets) return write();
  await ipSets.add(allowedCidrs);
  try {
    return await write();
  } finally {
    await bringIpSetsInLine(context);
  }
};

const rounds = 5;

/**
 * Lets the IP sets hold what the companies have registered, and nothing else. It looks again after each change: a company that
 * somebody has written meanwhile is admitted again, if it was not known yet. Whoever writes a company comes by here afterwards,
 * so that of any who write at once the last one leaves all in line.
 */
export const bringIpSetsInLine = async ({
  connect,
  config,
}: OperatorContext): Promise<{ added: string[]; removed: string[] }> => {
  const { store, ipSets } = await connect();
  const changes = { added: [] as string[], removed: [] as string[] };
  if (!ipSets) return changes;
  for (let round = 0; round < rounds; round++) {
    const { missing, surplus } = differenceIn(registeredCidrs(await readOnboarded(store), config), await ipSets.read());
    if (missing.length + surplus.length === 0) return changes;
    await ipSets.add(missing);
    await ipSets.remove(surplus);
    changes.added.push(...missing);
    changes.removed.push(...surplus);
  }
  throw new OperatorError(
    'conflict',
    `Others have registered addresses at each of ${rounds} attempts to bring the IP sets in line. Run company sync again.`,
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
  return [...new Set(counted.flatMap(({ allowedCidrs }) => allowedCidrs))];
};

/** All companies of the tables, and those that have left: all contracts that they had have ended. Reads a whole table. */
export const readOnboarded = async (store: Store): Promise<Onboarded> => {
  const onboarded = await listCompanies(store);
  const left = await Promise.all(
    onboarded.map(async ({ companyId }) => ((await hasLeft(store, companyId)) ? [companyId] : [])),
  );
  return { onboarded, leftIds: new Set(left.flat()) };
};
