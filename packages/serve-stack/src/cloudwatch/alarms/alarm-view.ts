import type { AlarmState } from './alarm-state.ts';

export type AlarmTransition = { readonly atMs: number; readonly state: AlarmState; readonly reason: string };

/** An alarm over the time that was evaluated. */
export type AlarmView = {
  readonly logicalId: string;
  readonly name: string;
  readonly kind: 'metric' | 'composite';
  readonly description: string;
  /** The state at the end. */
  readonly state: AlarmState;
  /** The value that a metric alarm looked at last; undefined where there was none. */
  readonly lastValue?: number | undefined;
  readonly transitions: readonly AlarmTransition[];
};
