import * as z from 'zod';
import type { StageConfig } from '../../config/schema.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, type AuditRow, readAuditLog } from '../../lambdas/data/audit.ts';
import { type CompanyChange, changeCompany, findCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  type ContractChange,
  changeContract,
  findContract,
  findOnlyContract,
  readContractPage,
} from '../../lambdas/data/contracts/contracts.ts';
import { batchSize } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type Contract, isConsentUpToDate } from '../../lambdas/domain/contract.ts';
import { hasNoUsableAddress } from '../../lambdas/domain/key-notices.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { companyId, idOf } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import {
  type ChangeOutput,
  changeOutput,
  changeView,
  type Difference,
  differencesOf,
  isSame,
  makeChange,
} from '../cli/make-change.ts';
import { OperatorError } from '../error.ts';
import { writeAdmitted } from './admission.ts';
import { keysInWords } from './keys.ts';

/** The option that names an owner of a company; optional if the company has only one owner. */
export const userOption = {
  user: {
    summary: 'the owner; optional if the company has only one',
    placeholder: 'id',
    schema: idOf('user').optional(),
  },
} as const;

/** The permissions to read the contract of a company with a given owner, or with its only owner. */
export const contractReads = { Contracts: ['GetItem'], 'Contracts/index/byCompany': ['Query'] } as const;

/** The common part of commands that change a contract: they audit the change, and a conflict names the last change. */
export const contractChange = {
  arguments: { companyId },
  options: userOption,
  changes: true,
  requirements: {
    tableActions: {
      Contracts: ['GetItem', 'UpdateItem'],
      'Contracts/index/byCompany': ['Query'],
      AuditLog: ['PutItem', 'Query'],
    },
  },
  output: changeOutput,
  view: changeView,
} as const;

/** The common part of commands that change the company itself. */
export const companyChange = {
  ...contractChange,
  shownToCompany: true,
  options: {},
  requirements: {
    tableActions: { Companies: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem', 'Query'] },
  },
} as const;

/** The permissions to change a company and its addresses, in addition to those in AWS WAF (`admissionActions`). */
export const addressChangeActions = {
  ...companyChange.requirements.tableActions,
  ApiKeys: ['Query'],
  Companies: ['GetItem', 'Scan', 'UpdateItem'],
  'Contracts/index/byCompany': ['Query'],
} as const;

/** Returns the company. Throws if it was not onboarded. */
export const requireCompany = async (store: Store, companyId: string): Promise<Company> => {
  const company = await findCompany(store, companyId);
  if (company) return company;
  throw new OperatorError(
    'not-found',
    `${companyId} was not onboarded in this stage. To see all companies: company list. To onboard it: company onboard ${companyId}.`,
  );
};

/** Returns the contract of a company with an owner, or with its only owner if none is named. Throws if there is no such one. */
export const requireContract = async (store: Store, companyId: string, userId?: string): Promise<Contract> => {
  const found =
    userId === undefined ? await findOnlyContract(store, companyId) : await findContract(store, { companyId, userId });
  if (found === 'several')
    throw new OperatorError(
      'usage',
      `${companyId} has contracts with several owners. Add --user <id>; contract list ${companyId} shows them.`,
    );
  if (found) return found;
  throw new OperatorError(
    'not-found',
    `${companyId} has no contract${userId === undefined ? '' : ` with ${userId}`} in this stage. To see its contracts: contract list ${companyId}. To open one: contract open ${companyId} --user ${userId ?? '<id>'}.`,
  );
};

/** Reads all contracts of a company, sorted by owner id. */
export const readAllContracts = async (store: Store, companyId: string): Promise<Contract[]> => {
  const all: Contract[] = [];
  let after: string | undefined;
  do {
    const { contracts, next } = await readContractPage(store, companyId, batchSize, after);
    all.push(...contracts);
    after = next;
  } while (after !== undefined);
  return all;
};

/** Applies the change that `decide` returns to a contract of a company; see `changeSeen`. */
export const changeContractOf = (
  context: OperatorContext,
  { companyId, user }: { readonly companyId: string; readonly user?: string | undefined },
  decide: (contract: Contract, nowMs: number) => ContractChange | Promise<ContractChange>,
): Promise<ChangeOutput> =>
  changeSeen(context, companyId, decide, {
    read: (store, id) => requireContract(store, id, user),
    write: changeContract,
    userIdOf: ({ userId }) => userId,
  });

/** Applies the change that `decide` returns to a company; see `changeSeen`. Updates the IP sets of the stage, if any. */
export const changeCompanyOf = (
  context: OperatorContext,
  companyId: string,
  decide: (company: Company) => CompanyChange | Promise<CompanyChange>,
): Promise<ChangeOutput> =>
  changeSeen(context, companyId, decide, {
    read: requireCompany,
    write: (store, auditContext, seen, change) => {
      const write = () => changeCompany(store, auditContext, seen, change);
      if (!change.allowedCidrs) return write();
      return writeAdmitted(context, { before: seen.allowedCidrs, after: change.allowedCidrs }, write);
    },
    userIdOf: () => undefined,
    alsoDifferent: (store, seen, { allowedCidrs }) =>
      allowedCidrs ? strandedBy(store, context.nowMs, seen, allowedCidrs) : [],
  });

/** Returns the keys that a change of the company's addresses leaves without any registered address to work from. */
const strandedBy = async (
  store: Store,
  nowMs: number,
  { companyId, allowedCidrs }: Company,
  after: readonly string[],
) => {
  const slots = await readTakenSlots(store, companyId, nowMs);
  return slots
    .filter((slot) => hasNoUsableAddress(slot, after) && !hasNoUsableAddress(slot, allowedCidrs))
    .map((slot) => ({
      what: keysInWords([slot]),
      before: `works from ${slot.allowedCidrs?.join(', ')}`,
      after: 'works from no registered address',
    }));
};

type Access<Seen, Change> = {
  readonly read: (store: Store, companyId: string) => Promise<Seen>;
  readonly write: (
    store: Store,
    auditContext: AuditContext,
    seen: Seen,
    change: Change,
  ) => Promise<{ readonly outcome: 'changed' | 'conflict' }>;
  readonly userIdOf: (seen: Seen) => string | undefined;
  /** Differences that a change causes beyond its own values. */
  readonly alsoDifferent?: (store: Store, seen: Seen, change: Change) => Promise<Difference[]> | Difference[];
};

/**
 * Reads an item and applies the change that `decide` returns, without values that already match. `decide` gets the time of the
 * service, since the clock of this machine may be wrong, and throws to refuse the change.
 */
const changeSeen = async <Seen extends Company | Contract, Change extends CompanyChange | ContractChange>(
  context: OperatorContext,
  companyId: string,
  decide: (seen: Seen, nowMs: number) => Change | Promise<Change>,
  { read, write, userIdOf, alsoDifferent = () => [] }: Access<Seen, Change>,
): Promise<ChangeOutput> => {
  const { store, readStoreTimeMs } = await context.connect();
  const seen = await read(store, companyId);
  const decideAt = async (nowMs: number): Promise<Change> => {
    const wanted = Object.entries(await decide(seen, nowMs));
    return Object.fromEntries(wanted.filter(([name, value]) => !isSame(value, seen[name as keyof Seen]))) as Change;
  };
  const planned = await decideAt(await readStoreTimeMs());
  const differences = [...differencesOf(seen, planned), ...(await alsoDifferent(store, seen, planned))];
  const apply = async () => {
    // Decides again: time may have passed while a person was asked for confirmation.
    const auditContext = await context.auditContext(companyId, userIdOf(seen));
    const change = await decideAt(auditContext.nowMs);
    const { outcome } = await write(store, auditContext, seen, change);
    if (outcome === 'conflict') throw await conflictOver(store, companyId);
  };
  return makeChange(context, { companyId, differences, apply });
};

/** Returns the error for a conflicting change, with the last change in the audit log. */
const conflictOver = async (store: Store, companyId: string): Promise<OperatorError> => {
  const { rows } = await readAuditLog(store, { by: 'company', id: companyId }, 1);
  const [last] = rows;
  const who = last ? `The last change in the audit log: ${describeAct(last)}.` : 'The audit log has no change.';
  return new OperatorError(
    'conflict',
    `${companyId} was changed by another caller at the same time; this command changed nothing. ${who} Check with company show ${companyId}, and run the command again if it still applies.`,
  );
};

/** Describes an audit row for use in a sentence: what was done, by whom, when and why. */
const describeAct = ({ operation, operator, actorKeyId, at, factAt, reason }: AuditRow): string => {
  const actor = operator ?? actorKeyId;
  const when = factAt === undefined ? at : `${factAt}, recorded at ${at}`;
  return `${operation}${actor ? ` by ${actor}` : ''} at ${when}${reason ? ` ("${reason}")` : ''}`;
};

export const presentedConsent = z.strictObject({
  requiredVersion: z.int(),
  acceptedVersion: z.int().nullable(),
  acceptedAt: z.iso.datetime().nullable(),
  upToDate: z.boolean(),
  portalUrl: z.url(),
});

export const presentedContract = z.strictObject({
  companyId: z.string(),
  userId: z.string(),
  /** `erased`: only the time of the erasure is left. */
  state: z.enum(['unopened', 'active', 'ended', 'erased']),
  since: z.iso.datetime(),
  consent: presentedConsent,
});

type PresentedContract = z.output<typeof presentedContract>;

export const presentConsent = (contract: Contract, { consent }: StageConfig) => ({
  requiredVersion: consent.requiredVersion,
  acceptedVersion: contract.acceptedConsentVersion,
  acceptedAt: contract.acceptedAtMs === null ? null : toTimestamp(contract.acceptedAtMs),
  upToDate: isConsentUpToDate(contract, consent.requiredVersion),
  portalUrl: consent.portalUrl,
});

export const presentContract = (contract: Contract, config: StageConfig): PresentedContract => ({
  companyId: contract.companyId,
  userId: contract.userId,
  ...(contract.removeAt === null
    ? { state: contract.state, since: toTimestamp(contract.sinceMs) }
    : { state: 'erased', since: toTimestamp(contract.erasedAtMs ?? contract.sinceMs) }),
  consent: presentConsent(contract, config),
});

export const consentFields = (consent: z.output<typeof presentedConsent>) => ({
  consent: consent.upToDate ? 'up to date' : 'outdated: remote control is refused',
  'required version': consent.requiredVersion,
  'accepted version': consent.acceptedVersion,
  'accepted at': consent.acceptedAt,
  portal: consent.portalUrl,
});

export const contractFields = (contract: PresentedContract) => ({
  company: contract.companyId,
  contract: contract.state,
  since: contract.since,
  user: contract.userId,
  ...consentFields(contract.consent),
});
