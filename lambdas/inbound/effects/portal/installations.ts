import { applyGrant } from '../../../data/contracts/grants.ts';
import type { Effects } from '../../effect.ts';
import { auditContextOf } from './audit-context.ts';

export const installationEffects = {
  'portal.installation.added.v1': ({ store }, event) =>
    applyGrant(store, auditContextOf(event), { ...event.data, isGranted: true }),
  'portal.installation.removed.v1': ({ store }, event) =>
    applyGrant(store, auditContextOf(event), { ...event.data, isGranted: false }),
} satisfies Partial<Effects<'takePortalEvents'>>;
