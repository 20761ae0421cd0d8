import type { AlarmView } from '../alarms/alarm-view.ts';

/** A value at a time in ms since the epoch. */
export type Point = readonly [atMs: number, value: number];

export type Series = {
  readonly label: string;
  readonly points: readonly Point[];
  /** The colour that the widget asks for, `#rrggbb`. */
  readonly color?: string | undefined;
  readonly axis: 'left' | 'right';
};

export type Axis = { readonly label?: string | undefined; readonly min?: number; readonly max?: number };

/** A line across a chart, at a value. */
export type Threshold = { readonly label: string; readonly value: number; readonly color?: string | undefined };

/** Holds what CloudWatch would show in a widget, as numbers. */
export type Content =
  | { readonly kind: 'text'; readonly markdown: string }
  | { readonly kind: 'alarms'; readonly alarms: readonly AlarmView[] }
  | {
      readonly kind: 'timeSeries';
      readonly isStacked: boolean;
      readonly series: readonly Series[];
      readonly left?: Axis | undefined;
      readonly right?: Axis | undefined;
      readonly thresholds: readonly Threshold[];
    }
  | {
      readonly kind: 'singleValue';
      readonly values: readonly { readonly label: string; readonly value?: number | undefined }[];
    }
  /** Contributor Insights: the largest contributors, largest first, each over time. */
  | { readonly kind: 'contributors'; readonly contributors: readonly (Series & { readonly sum: number })[] }
  /** The answer of a log query. */
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** A widget with its place on the dashboard's grid of 24 columns. */
export type WidgetView = Content & {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type DashboardView = { readonly name: string; readonly widgets: readonly WidgetView[] };
