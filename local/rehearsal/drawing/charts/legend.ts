import type { Size } from '../grid.ts';
import { escapeHtml } from '../text/html.ts';

/** One without a colour is a remark. */
export type LegendEntry = { readonly label: string; readonly color?: string; readonly isDashed?: boolean };

export type Legend = {
  readonly html: string;
  /** The height that it takes below a chart, or the width beside one. */
  readonly heightPx: number;
  readonly widthPx: number;
  readonly side: 'below' | 'beside';
};

const rowHeightPx = { below: 18, beside: 16 };
const swatchPx = 30;
/** A character of the page's small type has this width, on the generous side: a name estimated too short would be cut. */
const characterPx = 6.6;

/** Puts the legend below the chart if that takes up to a third of the height, otherwise beside it. Names are never cut. */
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
