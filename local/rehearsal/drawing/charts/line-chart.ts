import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Axis, Series, Threshold, TimeRange } from 'serve-stack/cloudwatch';
import type { Size } from '../grid.ts';
import { toShortNumber } from '../text/formats.ts';
import { onSameTimes, withGaps } from './line-gaps.ts';

use([LineChart, GridComponent, SVGRenderer]);

export type Line = Series & { readonly color: string };

export type LineChartView = {
  readonly lines: readonly Line[];
  readonly isStacked: boolean;
  readonly thresholds: readonly (Threshold & { readonly color: string })[];
};

const ink = { text: '#6b7280', line: '#d5d9df', grid: '#eef0f3' };

/** Draws lines over time as an SVG of that size, without a browser. */
export const drawLineChart = (view: LineChartView, range: TimeRange, { widthPx, heightPx }: Size): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx });
  const lines = view.isStacked ? onSameTimes(view.lines, range) : view.lines;
  chart.setOption({
    animation: false,
    useUTC: true,
    textStyle: { fontFamily: 'system-ui, sans-serif', fontSize: 11 },
    grid: {
      ...{ left: 4, right: 16, top: 10, bottom: 2 },
      ...{ outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
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

/** A line as any other, dashed and labelled, so that the scale takes it in. */
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
