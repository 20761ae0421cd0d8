import type { WidgetView } from 'serve-stack/cloudwatch';

/** The page's pixels; `style.ts` and the charts have to agree on them. */
export const page = { widthPx: 1600, paddingPx: 20 };
export const grid = { columns: 24, rowHeightPx: 50, gapPx: 8 };
export const card = { paddingPx: 10, titleHeightPx: 24 };

const columnWidthPx = (page.widthPx - 2 * page.paddingPx - (grid.columns - 1) * grid.gapPx) / grid.columns;

export type Size = { readonly widthPx: number; readonly heightPx: number };

/** Measures the room for a widget's content, inside of its card and below its title. */
export const contentSizeOf = ({ width, height }: Pick<WidgetView, 'width' | 'height'>): Size => ({
  widthPx: Math.floor(width * columnWidthPx + (width - 1) * grid.gapPx - 2 * card.paddingPx - 2),
  heightPx: height * grid.rowHeightPx + (height - 1) * grid.gapPx - 2 * card.paddingPx - card.titleHeightPx - 2,
});
