import type { LocalService } from '../../service.ts';

/** What happens to the service, besides faults of the store, for a part of a run. */
export type Incident = {
  /** The run stands still until this has happened. */
  readonly begin: (service: Rehearsed) => Promise<void>;
  /** Ends what it has begun: the run shows that alarms clear. */
  readonly end: (service: Rehearsed) => Promise<void>;
};

/** As much of the service as a rehearsal deals with. */
export type Rehearsed = Pick<LocalService, 'demo' | 'store' | 'served' | 'pauseBackend'>;
