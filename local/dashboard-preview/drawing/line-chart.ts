import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { UserFacingError } from 'serve-stack';
import type { Series, Threshold, TimeRange } from 'serve-stack/cloudwatch';
import { onSameTimes, withGaps } from './line-points.ts';
import type { Size } from './style.ts';
import { toShortNumber } from './text.ts';

use([LineChart, GridComponent, SVGRenderer]);

export type Line = Series & { readonly color: string };

type LineChartView = {
  readonly lines: readonly Line[];
  readonly isStacked: boolean;
  readonly thresholds: readonly (Threshold & { readonly color: string })[];
};

const ink = { text: '#6b7280', line: '#d5d9df', grid: '#eef0f3' };

/** Returns a line chart over time as an SVG of this size, rendered without a browser. */
export const drawLineChart = (view: LineChartView, range: TimeRange, { widthPx, heightPx }: Size): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx });
  const lines = view.isStacked ? onSameTimes(view.lines, range) : view.lines;
  chart.setOption({
    animation: false,
    useUTC: true,
    textStyle: { fontFamily: 'system-ui, sans-serif', fontSize: 11 },
    grid: {
      left: 4,
      right: 16,
      top: 10,
      bottom: 2,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    xAxis: timeAxis(range, widthPx),
    yAxis: valueAxis(view),
    series: [
      ...lines.map((line) => lineSeries(line, view.isStacked)),
      ...view.thresholds.map((threshold) => thresholdSeries(threshold, range)),
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
};

const timeAxis = ({ fromMs, toMs }: TimeRange, widthPx: number) => ({
  type: 'time' as const,
  min: fromMs,
  max: toMs,
  splitNumber: Math.max(2, Math.floor(widthPx / 85)),
  axisLabel: { formatter: '{HH}:{mm}', hideOverlap: true, color: ink.text },
  axisLine: { lineStyle: { color: ink.line } },
  axisTick: { lineStyle: { color: ink.line } },
});

const valueAxis = (view: LineChartView) => ({
  type: 'value' as const,
  min: 0,
  ...(isAllZero(view) ? { max: 1, interval: 1 } : { splitNumber: 4 }),
  axisLabel: { formatter: toShortNumber, color: ink.text },
  splitLine: { lineStyle: { color: ink.grid } },
});

const isAllZero = ({ lines, thresholds }: LineChartView) =>
  thresholds.length === 0 && lines.every(({ points }) => points.every(([, value]) => value === 0));

const lineSeries = ({ points, color }: Line, isStacked: boolean) => ({
  type: 'line' as const,
  data: withGaps(points),
  symbolSize: 5,
  itemStyle: { color },
  lineStyle: { color, width: isStacked ? 0 : 1.8 },
  ...(isStacked && { stack: 'all', areaStyle: { color, opacity: 0.75 } }),
});

/** A dashed, labelled line. It is a series like any other, so that the scale includes it. */
const thresholdSeries = (
  { label, value, color }: LineChartView['thresholds'][number],
  { fromMs, toMs }: TimeRange,
) => ({
  type: 'line' as const,
  data: [
    [fromMs, value],
    {
      value: [toMs, value],
      label: { show: true, formatter: () => label, position: [-2, -15] as [number, number], align: 'right', color },
    },
  ] as (number[] | { value: number[] })[],
  symbolSize: 0.01,
  itemStyle: { color },
  lineStyle: { color, width: 1.2, type: 'dashed' as const },
});

/** A label with a meaning has the same colour in every chart. */
const meanings: Readonly<Record<string, string>> = {
  allowed: '#8db596',
  refused: '#e3b341',
  limited: '#e8772e',
  failed: '#c9303c',
};

/** Distinguishable from each other and from the colours with a meaning. */
const others = [
  ...['#3b78ab', '#7d6bb3', '#3f9c9c', '#b0679a', '#8a7a5c', '#5b8c3a', '#5f6b7a', '#c07f5a', '#2f5d8a', '#9aa5b1'],
  ...['#8fbcdc', '#b9a9dd', '#8fcfcb', '#dba6c8', '#c4b491', '#a5cf86', '#3a4250', '#e3b79b', '#6d8f4a', '#d0d5db'],
];

const thresholdColor = '#c9303c';

/** Returns the widget's colour, else the colour of the label's meaning, else a colour by index. */
export const colorOf = ({ label, color }: { label: string; color?: string | undefined }, index: number): string =>
  checked(color) ?? meanings[label.toLowerCase()] ?? others[index % others.length] ?? '';

export const thresholdColorOf = ({ color }: { color?: string | undefined }): string => checked(color) ?? thresholdColor;

/** Throws UserFacingError unless the colour is hexadecimal: colours enter the drawing without escaping. */
const checked = (color: string | undefined): string | undefined => {
  if (color === undefined || /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) return color;
  throw new UserFacingError(`A dashboard's colours must be #rrggbb; one is ${color}.`);
};
