import type { WidgetView } from 'serve-stack/cloudwatch';

/** The page's dimensions, which the style sheet, the charts and the screenshots share. */
export const page = { widthPx: 1600, paddingPx: 20 };
const grid = { columns: 24, rowHeightPx: 50, gapPx: 8 };
const card = { paddingPx: 10, titleHeightPx: 24 };

const columnWidthPx = (page.widthPx - 2 * page.paddingPx - (grid.columns - 1) * grid.gapPx) / grid.columns;

export type Size = { readonly widthPx: number; readonly heightPx: number };

/** Returns the space for a widget's content, inside its card and below its title. */
export const contentSizeOf = ({ width, height }: Pick<WidgetView, 'width' | 'height'>): Size => ({
  widthPx: Math.floor(width * columnWidthPx + (width - 1) * grid.gapPx - 2 * card.paddingPx - 2),
  heightPx: height * grid.rowHeightPx + (height - 1) * grid.gapPx - 2 * card.paddingPx - card.titleHeightPx - 2,
});

/** The page's only style sheet. It uses only system fonts. */
export const style = `
* { box-sizing: border-box; margin: 0; }
body { width: ${page.widthPx}px; background: #f4f5f7; color: #1f2937; font: 13px/1.4 system-ui, sans-serif; }
section { padding: 14px ${page.paddingPx}px 18px; }
section > header { display: flex; align-items: center; gap: 28px; margin-bottom: 10px; color: #6b7280; }
section > header b { color: #1f2937; margin-right: 6px; }
section > header p { font-size: 12px; line-height: 17px; }
h2 { font-size: 20px; color: #1f2937; white-space: nowrap; }
.grid { display: grid; gap: ${grid.gapPx}px; grid-template-columns: repeat(${grid.columns}, minmax(0, 1fr));
  grid-auto-rows: ${grid.rowHeightPx}px; }
.card { background: #fff; border: 1px solid #e2e5ea; border-radius: 6px; padding: ${card.paddingPx}px; min-width: 0;
  min-height: 0; overflow: hidden; }
.card > h3 { height: ${card.titleHeightPx}px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.no-data { color: #9aa1ab; font-style: italic; }
.card > .no-data { display: grid; place-items: center; height: calc(100% - ${card.titleHeightPx}px); }

.chart { display: flex; gap: 6px; }
.chart.below { flex-direction: column; }
svg { display: block; flex: none; }
.legend { list-style: none; padding: 0; font-size: 12px; line-height: 18px; white-space: nowrap; color: #374151; }
.legend.beside { font-size: 11px; line-height: 16px; }
.legend.below { display: flex; flex-wrap: wrap; column-gap: 14px; }
.legend .remark { color: #9aa1ab; }
.swatch, .dash { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px;
  background: var(--color); }
.dash { height: 0; border-top: 2px dashed var(--color); background: none; border-radius: 0; vertical-align: 3px; }

table { width: 100%; border-collapse: collapse; font-size: 12px; line-height: 16px; }
th { text-align: left; font-weight: 500; color: #6b7280; }
th, td { padding: 2px 8px 3px 0; border-bottom: 1px solid #eef0f3; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; max-width: 420px; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.left-over { font-size: 12px; color: #6b7280; padding-top: 2px; }
.contributors table { line-height: 18px; }
.contributors tbody tr:first-child { font-weight: 600; }

.values { display: flex; flex-wrap: wrap; gap: 6px 48px; align-content: center; justify-content: center;
  height: calc(100% - ${card.titleHeightPx}px); text-align: center; }
.values dd { font-size: 34px; line-height: 42px; font-weight: 600; }
.values .no-data { font-size: 20px; font-weight: 400; }
.values dt { font-size: 12px; color: #6b7280; }
.pills { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 6px; font-size: 12px; }
.pills li { padding: 3px 10px 3px 8px; border-radius: 4px; border-left: 4px solid #c3c8d0; background: #f4f5f7; }
.pills b { font-weight: 500; }
.state { padding: 1px 8px; border-left: 4px solid #c3c8d0; border-radius: 3px; background: #f4f5f7; }
.pills .ALARM, .state.ALARM { border-color: #8f1d27; background: #c9303c; color: #fff; }
.pills .OK, .state.OK { border-color: #8db596; }
.pills .INSUFFICIENT_DATA, .state.INSUFFICIENT_DATA { color: #6b7280; }
.alarms td:last-child { max-width: none; white-space: normal; }

.markdown > * + * { margin-top: 4px; }
.markdown h1 { font-size: 16px; } .markdown h2 { font-size: 15px; } .markdown h3 { font-size: 13px; }
.markdown ul { padding-left: 18px; }
.markdown code { font: 12px ui-monospace, monospace; background: #f4f5f7; padding: 0 3px; border-radius: 3px; }
.markdown a { color: #2f5d8a; }
`;
