import { randomUUID } from 'node:crypto';
import type { InboundEvent, TypeFrom } from '../../../lambdas/api/inbound-events/inbound-events.ts';

type ReportType = TypeFrom<'gatewayReports'>;

/** An event of the gateway backend, as docs/seams.md describes it. */
export type GatewayReport = ReturnType<typeof gatewayReport>;

export const gatewayReport = <Type extends ReportType>(
  type: Type,
  gatewayId: string,
  data: InboundEvent<Type>['data'],
  atMs: number,
) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'gateway-backend',
  type: type as ReportType,
  subject: gatewayId,
  time: new Date(atMs).toISOString(),
  data: data as InboundEvent<ReportType>['data'],
});
