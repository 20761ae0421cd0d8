import { randomUUID } from 'node:crypto';
import type { SentData, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { GatewayReport } from './appliances/gateway-report.ts';

/** An event of the portal; docs/integrations.md describes the format. */
export type PortalEvent = ReturnType<typeof portalEvent>;

/** What the sandbox sends to the service: events of the gateway backend to its queue, and events of the portal to its bus. */
export type SandboxMessage = GatewayReport | PortalEvent;

/** Returns an event of the portal about an owner of the company. */
export const portalEvent = <Type extends TypeFrom<'portalEvents'>>(
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
