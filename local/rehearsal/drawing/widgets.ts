import type { TimeRange, WidgetView } from 'serve-stack/cloudwatch';
import { alarmPillsHtml } from './alarm-list.ts';
import { contributorsHtml } from './charts/contributors-chart.ts';
import { timeSeriesHtml } from './charts/time-series-chart.ts';
import { contentSizeOf, type Size } from './grid.ts';
import { escapeHtml } from './text/html.ts';
import { markdownHtml } from './text/markdown.ts';
import { singleValueHtml, tableHtml } from './value-tables.ts';

/** A widget in its place on the grid. */
export const widgetHtml = (widget: WidgetView, range: TimeRange): string => {
  const { kind, title, x, y, width, height } = widget;
  const place = `grid-area:${y + 1}/${x + 1}/span ${height}/span ${width}`;
  const heading = kind === 'text' && title === '' ? '' : `<h3>${escapeHtml(title)}</h3>`;
  return `<article class="card ${kind}" style="${place}">${heading}${contentHtml(widget, range, contentSizeOf(widget))}</article>`;
};

const contentHtml = (widget: WidgetView, range: TimeRange, size: Size): string => {
  switch (widget.kind) {
    case 'text':
      return markdownHtml(widget.markdown);
    case 'alarms':
      return alarmPillsHtml(widget.alarms);
    case 'timeSeries':
      return timeSeriesHtml(widget, range, size);
    case 'singleValue':
      return singleValueHtml(widget);
    case 'contributors':
      return contributorsHtml(widget, range, size);
    case 'table':
      return tableHtml(widget, size);
  }
};
