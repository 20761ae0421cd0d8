import * as z from 'zod';
import type { StageConfig } from '../../config/schema.ts';
import { contractStates } from '../../lambdas/api/schemas/contract.ts';
import { type Contract, isConsentUpToDate } from '../../lambdas/domain/contract.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

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

export const consentFacts = (consent: z.output<typeof presentedConsent>) => ({
  consent: consent.upToDate ? 'up to date' : 'outdated: remote control is refused',
  'required version': consent.requiredVersion,
  'accepted version': consent.acceptedVersion,
  'accepted at': consent.acceptedAt,
  portal: consent.portalUrl,
});

export const contractFacts = (contract: PresentedContract) => ({
  company: contract.companyId,
  name: contract.name,
  contract: contract.state,
  since: contract.since,
  user: contract.userId,
  addresses: contract.allowedCidrs.join(', '),
  'webhook hosts': contract.webhookHosts.join(', ') || 'none',
  ...consentFacts(contract.consent),
});
