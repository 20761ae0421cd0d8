import type { Effects } from '../../effect.ts';
import { consentEffects } from './consent.ts';
import { installationEffects } from './installations.ts';

/** What the events of the portal come to. */
export const portalEffects: Effects<'takePortalEvents'> = { ...consentEffects, ...installationEffects };
