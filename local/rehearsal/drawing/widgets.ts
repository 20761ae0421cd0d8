import type { WidgetView } from '../../aws/cloudwatch/views.ts';
import type { Range } from '../range.ts';
import { alarmPillsHtml } from './alarms.ts';
import { contributorsHtml } from './contributors.ts';
import { contentSizeOf, type Size } from './grid.ts';
import { escapeHtml } from './html.ts';
import { markdownHtml } from './markdown.ts';
import { singleValueHtml, tableHtml } from './tables.ts';
import { timeSeriesHtml } from './time-series.ts';

/** A widget in its place on the grid. */
export const widgetHtml = (widget: WidgetView, range: Range): string => {
  const { kind, title, x, y, width, height } = widget;
  const place = `grid-area:${y + 1}/${x + 1}/span ${height}/span ${width}`;
  const heading = kind === 'text' && title === '' ? '' : `<h3>${escapeHtml(title)}</h3>`;
  return `<article class="card ${kind}" style="${place}">${heading}${contentHtml(widget, range, contentSizeOf(widget))}</article>`;
};

const contentHtml = (widget: WidgetView, range: Range, size: Size): string => {
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
