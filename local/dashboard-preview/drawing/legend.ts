import type { Size } from './style.ts';
import { escapeHtml } from './text.ts';

/** An entry without a colour is a remark. */
export type LegendEntry = { readonly label: string; readonly color?: string; readonly isDashed?: boolean };

type Legend = {
  readonly html: string;
  /** The height if the legend is below the chart, otherwise 0. */
  readonly heightPx: number;
  /** The width if the legend is to the right of the chart, otherwise 0. */
  readonly widthPx: number;
  readonly side: 'below' | 'beside';
};

const rowHeightPx = { below: 18, beside: 16 };
const swatchPx = 30;
/** The estimated width of a character in the page's small type. Generous, because an estimate too small cuts names. */
const characterPx = 6.6;

/** Places the legend below the chart if it takes at most a third of the height, otherwise to its right. Never cuts names. */
export const legendFor = (entries: readonly LegendEntry[], { widthPx, heightPx }: Size): Legend => {
  const widths = entries.map(({ label }) => swatchPx + label.length * characterPx);
  const belowPx = rowsOf(widths, widthPx) * rowHeightPx.below;
  if (belowPx <= heightPx / 3)
    return { html: listHtml('below', entries), side: 'below', heightPx: belowPx, widthPx: 0 };
  const shown = fitting(entries, Math.floor(heightPx / rowHeightPx.beside));
  return { html: listHtml('beside', shown), side: 'beside', heightPx: 0, widthPx: Math.ceil(Math.max(...widths)) };
};

const fitting = (entries: readonly LegendEntry[], places: number): readonly LegendEntry[] =>
  entries.length <= places
    ? entries
    : [...entries.slice(0, places - 1), { label: `and ${entries.length - places + 1} more` }];

const listHtml = (side: Legend['side'], entries: readonly LegendEntry[]) =>
  `<ul class="legend ${side}">${entries.map(entryHtml).join('')}</ul>`;

const rowsOf = (widths: readonly number[], widthPx: number): number => {
  let rows = widths.length === 0 ? 0 : 1;
  let takenPx = 0;
  for (const each of widths) {
    if (takenPx > 0 && takenPx + each > widthPx) {
      rows++;
      takenPx = 0;
    }
    takenPx += each;
  }
  return rows;
};

const entryHtml = ({ label, color, isDashed = false }: LegendEntry) => {
  const mark = color && `<i class="${isDashed ? 'dash' : 'swatch'}" style="--color:${escapeHtml(color)}"></i>`;
  return `<li${mark ? '' : ' class="remark"'}>${mark ?? ''}${escapeHtml(label)}</li>`;
};
