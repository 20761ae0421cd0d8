import type { Consent } from '../../lambdas/domain/consent.ts';
import { withdrawnConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { OperatorContext } from '../cli/context.ts';
import { laterChangeOf } from './later-change.ts';

/** What a withdrawal of now makes of the consent; refuses if consent was changed later than this command began. */
export const withdrawal = async (context: OperatorContext, contract: Contract): Promise<Partial<Consent>> => {
  const { consentChangedAtMs } = contract;
  if (consentChangedAtMs !== null && consentChangedAtMs > context.nowMs) throw await laterConsent(context, contract);
  return withdrawnConsent(contract, context.nowMs) ?? {};
};

/** Tells who changed consent, and that it was not before this command began. */
export const laterConsent = async ({ connect, nowMs }: OperatorContext, { companyId, consentChangedAtMs }: Contract) =>
  laterChangeOf(
    (await connect()).store,
    { companyId, nowMs },
    {
      what: 'consent',
      changedAtMs: Number(consentChangedAtMs),
      isIt: ({ after }) => after?.consentChangedAtMs === consentChangedAtMs,
    },
  );
