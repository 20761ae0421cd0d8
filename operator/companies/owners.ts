import type { Company as ConfiguredCompany } from '../../config/company.ts';
import { idPattern } from '../../lambdas/api/schemas/common.ts';
import { type ContractChange, readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { decideOnContract } from '../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import {
  type Contract,
  endedByOperator,
  grantIn,
  openedByOperator,
  type Parties,
} from '../../lambdas/domain/contract.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type CsvLine, encodingFaultOf, readCsvLines } from '../cli/csv-file.ts';
import { type ChangeOutput, makeChange } from '../cli/make-change.ts';
import { createProgressBar, someOf } from '../cli/output.ts';
import { findFile } from '../cli/text-file.ts';
import { OperatorError } from '../error.ts';
import { readAllContracts, requireCompany } from './contract.ts';
import { dropEndedOfCompany } from './dropped-changes.ts';
import { grantAll } from './grants.ts';

/** The gateways on which a company may act, by the id of their owner. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the owner in the registration and the owners in the file. Throws if any line of the file is invalid. */
export const readOwners = async (
  { host }: OperatorContext,
  { userId, gatewayIds }: ConfiguredCompany,
  file: string | undefined,
): Promise<Owners> => {
  const owners = new Map<string, Set<string>>();
  if (userId !== undefined) owners.set(userId, new Set(gatewayIds));
  if (file === undefined) return owners;
  const path = await findFile(host.directory, file);
  const read = ownersIn(await readCsvLines(path, ownerColumns), owners);
  const faults = read.refused.map(({ line, why }) => `line ${line} ${why}`);
  if (faults.length > 0)
    throw new OperatorError('refused', `${path} cannot be used; nothing was done: ${someOf(faults, '; ')}.`);
  return read.owners;
};

/** The columns of a file of owners. */
export const ownerColumns = ['userId', 'gatewayId'] as const;

type RefusedLine = { readonly line: number; readonly why: string };

/** Adds the owners and gateways of valid lines to `known` owners. Also returns the other lines, with the reason. */
export const ownersIn = (lines: readonly CsvLine[], known: Owners = new Map()) => {
  const owners = new Map([...known].map(([owner, ids]) => [owner, new Set(ids)]));
  const ownerOf = new Map([...owners].flatMap(([owner, ids]) => [...ids].map((id) => [id, owner] as const)));
  const refused: RefusedLine[] = [];
  for (const { line, cells } of lines) {
    const why = encodingFaultOf(cells) ?? faultOf(cells, ownerOf);
    if (why !== undefined) {
      refused.push({ line, why });
      continue;
    }
    const [owner = '', gatewayId = ''] = cells;
    const its = owners.get(owner) ?? new Set();
    owners.set(owner, gatewayId === '' ? its : its.add(gatewayId));
    if (gatewayId !== '') ownerOf.set(gatewayId, owner);
  }
  return { owners, refused };
};

/** The error does not quote the line: a wrong file may contain secrets. */
const faultOf = ([userId = '', gatewayId = '', ...more]: readonly string[], ownerOf: ReadonlyMap<string, string>) => {
  if (more.some((cell) => cell !== '')) return `has more than the columns ${ownerColumns.join(' and ')}`;
  if (!idPattern.test(userId)) return `has no valid user id: ${idRule}`;
  if (gatewayId !== '' && !idPattern.test(gatewayId)) return `has no valid gateway id: ${idRule}`;
  const another = ownerOf.get(gatewayId);
  if (another !== undefined && another !== userId) return 'names a gateway that already has another owner';
  return undefined;
};

const idRule = '1 to 64 of the characters A-Z a-z 0-9 . _ -';

/** Returns the owners and gateways that are still to be added. Skips owners whose contract has ended. */
export const ownersLeft = async (store: Store, companyId: string, owners: Owners): Promise<Owners> => {
  const contracts = await readContracts(
    store,
    [...owners.keys()].map((userId) => ({ companyId, userId })),
  );
  const known = new Map(contracts.map((contract) => [contract.userId, contract]));
  return new Map([...owners].flatMap(([userId, ids]) => leftOf(userId, ids, known.get(userId))));
};

const leftOf = (userId: string, ids: ReadonlySet<string>, contract: Contract | undefined): [string, Set<string>][] => {
  if (contract?.state === 'ended') return [];
  const left = new Set([...ids].filter((id) => !(contract && grantIn(contract, id))));
  return contract?.state === 'active' && left.size === 0 ? [] : [[userId, left]];
};

/** Opens a contract with each owner, one after the other, and grants it the owner's gateways. */
export const openContracts = (context: OperatorContext, companyId: string, owners: Owners): Promise<void> =>
  forEachOwner(context, [...owners], async ([userId, gatewayIds]) => {
    await openContract(context, { companyId, userId });
    await grantAll(context, { companyId, userId }, [...gatewayIds]);
  });

/** Opens a contract. Does not reopen an ended one. */
export const openContract = (context: OperatorContext, parties: Parties): Promise<void> =>
  decide(context, parties, (contract, nowMs) =>
    contract.state === 'unopened' ? openedByOperator(contract, nowMs) : undefined,
  );

/** Ends the contracts of a company with all owners, one after the other. */
export const endContracts = async (context: OperatorContext, companyId: string): Promise<ChangeOutput> => {
  const { store } = await context.connect();
  await requireCompany(store, companyId);
  const active = (await readAllContracts(store, companyId)).filter(({ state }) => state === 'active');
  const userIds = active.map(({ userId }) => userId);
  const apply = () =>
    forEachOwner(context, userIds, (userId) =>
      decide(context, { companyId, userId }, (contract, nowMs) =>
        contract.state === 'active' ? endedByOperator(contract, nowMs) : undefined,
      ),
    );
  const differences = [{ what: `contracts with ${someOf(userIds)}`, before: 'active', after: 'ended' }];
  const output = await makeChange(context, { companyId, differences: userIds.length > 0 ? differences : [], apply });
  await dropEndedOfCompany(context, companyId);
  return output;
};

const forEachOwner = async <Each>(
  { host }: OperatorContext,
  owners: readonly Each[],
  act: (owner: Each) => Promise<void>,
): Promise<void> => {
  const bar = createProgressBar(host);
  for (const [index, owner] of owners.entries()) {
    await act(owner);
    bar.show((index + 1) / owners.length, `${index + 1} of ${owners.length} contracts`);
  }
  bar.end();
};

/** Applies the change that `change` returns to the contract, or creates the contract. Does nothing if `change` is undefined. */
const decide = async (
  context: OperatorContext,
  parties: Parties,
  change: (contract: Contract, nowMs: number) => ContractChange | undefined,
): Promise<void> => {
  const { store } = await context.connect();
  const act = await context.auditContext(parties.companyId, parties.userId);
  const { outcome } = await decideOnContract(store, act, parties.userId, (contract) => {
    const decided = change(contract, act.nowMs);
    return decided && { outcome: 'applied', change: decided };
  });
  if (outcome === 'company-not-found') await requireCompany(store, parties.companyId);
};
