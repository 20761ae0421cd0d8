import type { AlarmState } from './alarm-state.ts';

export type AlarmTransition = { readonly atMs: number; readonly state: AlarmState; readonly reason: string };

/** An alarm over the time that was evaluated. */
export type AlarmView = {
  readonly logicalId: string;
  readonly name: string;
  readonly kind: 'metric' | 'composite';
  readonly description: string;
  /** At the end. */
  readonly state: AlarmState;
  /** Of a metric alarm: the value that was looked at last; undefined where there was none. */
  readonly lastValue?: number | undefined;
  readonly transitions: readonly AlarmTransition[];
};
