import * as z from 'zod';
import { changeItemOf } from '../../lambdas/data/appliances/appliances.ts';
import type { OpenChange } from '../../lambdas/data/appliances/open-changes.ts';
import type { Refusal } from '../../lambdas/domain/appliances/appliance.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

/** A requested change that its appliance has not fulfilled yet, by its ids. */
export const openChange = z.strictObject({
  gatewayId: z.string(),
  item: z.string(),
  version: z.int(),
  requestedAt: z.iso.datetime(),
  companyId: z.string(),
  requestId: z.string(),
  /** The code with which the appliance refused it, if it did. */
  refusedAs: z.string().nullable(),
});

type Presented = z.output<typeof openChange>;

export const presentOpenChange = ({
  gatewayId,
  sk,
  version,
  desiredBy,
  lastRefusal,
}: Omit<OpenChange, 'desired'> & { readonly lastRefusal?: Refusal | undefined }): Presented => ({
  gatewayId,
  item: itemName(sk),
  version,
  requestedAt: toTimestamp(desiredBy.atMs),
  companyId: desiredBy.companyId,
  requestId: desiredBy.requestId,
  refusedAs: lastRefusal?.reason ?? null,
});

/** `circuit heating hc1`, `time-program heating hc1 1` */
export const itemName = (sk: string): string => Object.values(changeItemOf(sk)).join(' ');

export const openChangeRow = ({ gatewayId, item, version, requestedAt, companyId, refusedAs }: Presented) => ({
  gateway: gatewayId,
  item,
  version,
  requested: requestedAt,
  company: companyId,
  'refused as': refusedAs,
});
