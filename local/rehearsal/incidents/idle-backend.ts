import type { Incident } from './incident.ts';

/** The gateway backend neither fetches requested changes nor reports. */
export const idleBackend: Incident = {
  begin: async ({ pauseBackend }) => pauseBackend(true),
  end: async ({ pauseBackend }) => pauseBackend(false),
};
