import type { WidgetView } from 'serve-stack/cloudwatch';
import type { Size } from './grid.ts';
import { toShortNumber } from './text/formats.ts';
import { escapeHtml } from './text/html.ts';
import { noData } from './text/no-data.ts';

type TableView = Extract<WidgetView, { readonly kind: 'table' }>;
type SingleValueView = Extract<WidgetView, { readonly kind: 'singleValue' }>;

const rowHeightPx = 22;

/** Shows as many rows as fit, and says how many do not. */
export const tableHtml = ({ columns, rows }: TableView, { heightPx }: Size): string => {
  if (rows.length === 0) return noData;
  const places = Math.max(1, Math.floor(heightPx / rowHeightPx) - 1);
  const shown = rows.length > places ? rows.slice(0, Math.max(1, places - 1)) : rows;
  const left = rows.length - shown.length;
  const cells = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag} title="${escapeHtml(text)}">${escapeHtml(text)}</${tag}>`).join('');
  return `<table><thead><tr>${cells('th', columns)}</tr></thead>
<tbody>${shown.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</tbody></table>
${left > 0 ? `<p class="left-over">and ${left} more</p>` : ''}`;
};

export const singleValueHtml = ({ values }: SingleValueView): string =>
  values.length === 0
    ? noData
    : `<dl class="values">${values
        .map(
          ({ label, value }) =>
            `<div><dd>${value === undefined ? noData : toShortNumber(value)}</dd><dt>${escapeHtml(label)}</dt></div>`,
        )
        .join('')}</dl>`;
