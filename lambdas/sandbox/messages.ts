import { randomUUID } from 'node:crypto';
import type { GatewayReport } from '../../simulator/gateway-report.ts';
import type { SentData, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { HomeControlName } from './home-controls.ts';

/** An event of the portal; docs/integrations.md describes the format. */
export type PortalEvent = ReturnType<typeof portalEvent>;

/** What the sandbox sends to the service: events of the gateway backend to its queue, and events of the portal to its bus. */
export type SandboxMessage = GatewayReport | PortalEvent;

type Owner = { readonly companyId: string; readonly userId: string };
type OfGateway = { readonly gatewayId: string };
type OfTerms = { readonly consentVersion: number };

/** The event of the portal for each decision of an owner, by the control that lets the owner decide. */
export const ownerDecisions = {
  'consent-withdrawn': ({ companyId, userId }: Owner, atMs: number) =>
    portalEvent('portal.consent.withdrawn.v1', companyId, { userId }, atMs),
  'consent-renewed': ({ companyId, userId, consentVersion }: Owner & OfTerms, atMs: number) =>
    portalEvent('portal.consent.accepted.v1', companyId, { userId, consentVersion }, atMs),
  'contract-ended': ({ companyId, userId }: Owner, atMs: number) =>
    portalEvent('portal.contract.ended.v1', companyId, { userId }, atMs),
  'contract-opened': ({ companyId, userId }: Owner, atMs: number) =>
    portalEvent('portal.contract.opened.v1', companyId, { userId }, atMs),
  'gateway-removed': ({ companyId, userId, gatewayId }: Owner & OfGateway, atMs: number) =>
    portalEvent('portal.installation.removed.v1', companyId, { userId, gatewayId }, atMs),
  'gateway-added': ({ companyId, userId, gatewayId }: Owner & OfGateway, atMs: number) =>
    portalEvent('portal.installation.added.v1', companyId, { userId, gatewayId }, atMs),
} as const satisfies Partial<Record<HomeControlName, unknown>>;

/** Returns an event of the portal about an owner of the company. */
const portalEvent = <Type extends TypeFrom<'portalEvents'>>(
  type: Type,
  companyId: string,
  data: SentData<Type>,
  atMs: number,
) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'portal',
  type: type as TypeFrom<'portalEvents'>,
  subject: companyId,
  time: new Date(atMs).toISOString(),
  data: data as SentData<TypeFrom<'portalEvents'>>,
});
