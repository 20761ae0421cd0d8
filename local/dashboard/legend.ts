import type { Size } from './grid.ts';
import { escapeHtml } from './html.ts';

export type LegendEntry = { readonly label: string; readonly color: string; readonly isDashed?: boolean };

export type Legend = {
  readonly html: string;
  /** What it takes, of the height below a chart or of the width beside one. */
  readonly heightPx: number;
  readonly widthPx: number;
  readonly side: 'below' | 'beside';
};

const rowHeightPx = 18;
const swatchPx = 30;
/** Of the page's small type, on the generous side: a name that is estimated too short would be cut. */
const characterPx = 6.6;

/** Below the chart while that takes up to a third of the height, otherwise beside it. Names are never cut. */
export const legendFor = (entries: readonly LegendEntry[], { widthPx, heightPx }: Size): Legend => {
  const widths = entries.map(({ label }) => swatchPx + label.length * characterPx);
  const belowPx = rowsOf(widths, widthPx) * rowHeightPx;
  const side = belowPx <= heightPx / 3 ? 'below' : 'beside';
  const html = `<ul class="legend ${side}">${entries.map(entryHtml).join('')}</ul>`;
  return side === 'below'
    ? { html, side, heightPx: belowPx, widthPx: 0 }
    : { html, side, heightPx: 0, widthPx: Math.ceil(Math.max(...widths)) };
};

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

const entryHtml = ({ label, color, isDashed = false }: LegendEntry) =>
  `<li><i class="${isDashed ? 'dash' : 'swatch'}" style="--color:${escapeHtml(color)}"></i>${escapeHtml(label)}</li>`;
