import { randomUUID } from 'node:crypto';
import type { SentData, TypeFrom } from '../lambdas/api/inbound-events/inbound-events.ts';

type ReportType = TypeFrom<'gatewayReports'>;

/** An event of the gateway backend; docs/integrations.md describes the format. */
export type GatewayReport = ReturnType<typeof gatewayReport>;

export const gatewayReport = <Type extends ReportType>(
  type: Type,
  gatewayId: string,
  data: SentData<Type>,
  atMs: number,
) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'gateway-backend',
  type: type as ReportType,
  subject: gatewayId,
  time: new Date(atMs).toISOString(),
  data: data as SentData<ReportType>,
});
