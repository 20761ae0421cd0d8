import { applyGrant } from '../../../data/contracts/grants.ts';
import type { Effects } from '../../effect.ts';
import { auditContextOf } from './audit-context.ts';

export const installationEffects = {
  'portal.installation.added.v1': (context, event) =>
    applyGrant(context.store, auditContextOf(context, event), {
      ...event.data,
      isGranted: true,
      arrivedAtMs: event.arrivedAtMs,
    }),
  'portal.installation.removed.v1': (context, event) =>
    applyGrant(context.store, auditContextOf(context, event), {
      ...event.data,
      isGranted: false,
      arrivedAtMs: event.arrivedAtMs,
    }),
} satisfies Partial<Effects<'takePortalEvents'>>;
