import * as z from 'zod';
import type { StageConfig } from '../../config/schema.ts';
import { contractStates } from '../../lambdas/api/schemas/contract.ts';
import { type AuditRow, readAuditLog } from '../../lambdas/data/audit.ts';
import { type ContractChange, changeContract, findContract } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type Contract, isConsentUpToDate } from '../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { type ChangeOutput, changeOutput, changeView, differencesOf, isSame, makeChange } from '../cli/change.ts';
import { companyId } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../error.ts';

/** A command that changes the contract of a company: reads and changes it, puts that on record, and tells who was first. */
export const contractChange = {
  arguments: { companyId },
  options: {},
  changes: true,
  requirements: { tableActions: { Contracts: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem', 'Query'] } },
  output: changeOutput,
  view: changeView,
} as const;

/** The contract of a company that has one. */
export const requireContract = async (store: Store, companyId: string): Promise<Contract> => {
  const contract = await findContract(store, companyId);
  if (contract) return contract;
  throw new OperatorError(
    'not-found',
    `${companyId} has no contract in this stage. See which have: company list. To give it one: company onboard ${companyId}.`,
  );
};

/**
 * Changes the contract of a company to what `decide` makes of it, as of the time of the service: the clock of this machine
 * may be off. Of its values, those that are already so are left alone. `decide` refuses by throwing.
 */
export const changeContractOf = async (
  context: OperatorContext,
  companyId: string,
  decide: (contract: Contract, nowMs: number) => ContractChange | Promise<ContractChange>,
): Promise<ChangeOutput> => {
  const { store, readStoreTimeMs } = await context.connect();
  const seen = await requireContract(store, companyId);
  const decideNow = async (): Promise<ContractChange> => {
    const wanted = Object.entries(await decide(seen, await readStoreTimeMs()));
    return Object.fromEntries(wanted.filter(([name, value]) => !isSame(value, seen[name as keyof Contract])));
  };
  const differences = differencesOf(seen, await decideNow());
  const apply = async () => {
    // Anew, as time has passed if a person was asked.
    const change = await decideNow();
    const auditContext = await context.auditContext(companyId, change.userId ?? seen.userId);
    const { outcome } = await changeContract(store, auditContext, seen, change);
    if (outcome === 'conflict') throw await conflictOver(store, companyId);
  };
  return makeChange(context, { companyId, differences, apply });
};

/** Tells who was first, as far as it is on record. */
const conflictOver = async (store: Store, companyId: string): Promise<OperatorError> => {
  const { rows } = await readAuditLog(store, { by: 'company', id: companyId }, 1);
  const [last] = rows;
  const who = last ? `The last change on record: ${describeAct(last)}.` : 'Nothing is on record.';
  return new OperatorError(
    'conflict',
    `${companyId} was changed by somebody else at the same moment, and nothing was done here. ${who} Look with company show ${companyId}, and run again if it still makes sense.`,
  );
};

/** An act as a sentence names it: what was done, by whom, when and why. */
const describeAct = ({ operation, operator, actorKeyId, at, factAt, reason }: AuditRow): string => {
  const actor = operator ?? actorKeyId;
  const when = factAt === undefined ? at : `${factAt}, on record since ${at}`;
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
  name: z.string(),
  userId: z.string(),
  state: z.enum(contractStates),
  since: z.iso.datetime(),
  allowedCidrs: z.array(z.string()),
  webhookHosts: z.array(z.string()),
  consent: presentedConsent,
});

export type PresentedContract = z.output<typeof presentedContract>;

export const presentConsent = (contract: Contract, { consent }: StageConfig) => ({
  requiredVersion: consent.requiredVersion,
  acceptedVersion: contract.acceptedConsentVersion,
  acceptedAt: contract.acceptedAtMs === null ? null : toTimestamp(contract.acceptedAtMs),
  upToDate: isConsentUpToDate(contract, consent.requiredVersion),
  portalUrl: consent.portalUrl,
});

export const presentContract = (contract: Contract, config: StageConfig): PresentedContract => ({
  companyId: contract.companyId,
  name: contract.name,
  userId: contract.userId,
  state: contract.state,
  since: toTimestamp(contract.sinceMs),
  allowedCidrs: [...contract.allowedCidrs],
  webhookHosts: [...contract.webhookHosts],
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
  name: contract.name,
  contract: contract.state,
  since: contract.since,
  user: contract.userId,
  addresses: contract.allowedCidrs.join(', '),
  'webhook hosts': contract.webhookHosts.join(', ') || 'none',
  ...consentFields(contract.consent),
});
