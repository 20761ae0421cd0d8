import { faultsOfMath, faultsOfStatistics } from './alarms.ts';
import { type Check, parseJson, resourcesOf, textOf } from './template.ts';

/** Quotas of a dashboard that CloudWatch documents; for the length of its body it documents none. */
const maximum = { widgets: 500, metricsOfWidget: 500, metrics: 2500 };

const columns = 24;

type Widget = {
  readonly type?: string;
  readonly x?: number;
  readonly width?: number;
  readonly properties?: Readonly<Record<string, unknown>>;
};

/** Lists what each type of widget cannot do without: one property of each list. */
const required: Readonly<Record<string, readonly (readonly string[])[]>> = {
  alarm: [['alarms']],
  custom: [['endpoint']],
  explorer: [['metrics'], ['labels']],
  log: [['query'], ['region']],
  metric: [['metrics', 'insightRule', 'annotations'], ['region']],
  text: [['markdown']],
};

/** Finds dashboards that CloudWatch would refuse, or show with a hole. */
export const checkDashboards: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Dashboard').flatMap(({ logicalId, properties }) =>
    faultsOfBody(parseJson(textOf(properties.DashboardBody) ?? '')).map((sentence) => ({ logicalId, sentence })),
  );

const faultsOfBody = (body: unknown): string[] => {
  const widgets = (body as { readonly widgets?: readonly Widget[] } | undefined)?.widgets;
  if (!Array.isArray(widgets)) return ['has a DashboardBody that is no JSON with a list of widgets; write one.'];
  const metrics = widgets.flatMap((widget: Widget) => rowsOf(widget) ?? []).length;
  return [
    ...(widgets.length > maximum.widgets ? [`has ${widgets.length} widgets, and ${tooMany(maximum.widgets)}`] : []),
    ...(metrics > maximum.metrics ? [`shows ${metrics} metrics, and ${tooMany(maximum.metrics)}`] : []),
    ...widgets.flatMap((widget, index) => faultsOf(widget).map((fault) => `${nameOf(widget, index)} ${fault}`)),
  ];
};

const faultsOf = (widget: Widget): string[] => {
  const { type = '', x = 0, width = 6, properties = {} } = widget;
  const needs = required[type];
  if (!needs) return [`has the type "${type}"; write one of ${Object.keys(required).join(', ')}.`];
  const rows = rowsOf(widget) ?? [];
  return [
    ...needs
      .filter((names) => !names.some((name) => name in properties))
      .map((names) => `has no property ${names.join(' or ')}; add one.`),
    ...(x + width > columns ? [`ends at column ${x + width} of ${columns}; make it narrower or move it.`] : []),
    ...(rows.length > maximum.metricsOfWidget ? [`shows too many metrics; ${tooMany(maximum.metricsOfWidget)}`] : []),
    ...(type === 'metric' && 'metrics' in properties ? faultsOfRows(properties.metrics) : []),
  ];
};

const rowsOf = ({ type, properties }: Widget): readonly unknown[] | undefined =>
  type === 'metric' && Array.isArray(properties?.metrics) ? properties.metrics : undefined;

const nameOf = ({ properties }: Widget, index: number) =>
  `has a widget ${index + 1}${properties?.title ? ` ("${properties.title}")` : ''} that`;

const tooMany = (limit: number) => `CloudWatch shows ${limit}; split the dashboard.`;

type Options = { readonly id?: string; readonly expression?: string; readonly stat?: string };

/**
 * Returns the faults in the rows of a widget. A row is `[namespace, name, dimension, value, …]`, with options last if it
 * has any, or `[{ expression }]`.
 */
const faultsOfRows = (rows: unknown): string[] => {
  if (!Array.isArray(rows)) return ['has metrics that are no list; write a list of rows.'];
  const malformed = rows.flatMap((row, index) => (isRow(row) ? [] : index + 1));
  if (malformed.length > 0)
    return malformed.map((row) => `has a row ${row} of metrics that is neither a metric nor an expression; ${rowForm}`);
  const options = rows.map((row: readonly unknown[]) => optionsOf(row));
  return [...faultsOfMath(options), ...faultsOfStatistics(options.map(({ stat }) => stat))];
};

const isRow = (row: unknown): boolean => {
  if (!Array.isArray(row)) return false;
  const options = optionsOf(row);
  const texts = row.slice(0, row.length - (hasOptions(row) ? 1 : 0));
  if (texts.length === 0) return typeof options.expression === 'string';
  const isShortened = texts.includes('...');
  return (
    options.expression === undefined &&
    texts.every((text) => typeof text === 'string' && text !== '') &&
    (isShortened || (texts.length >= 2 && texts.length % 2 === 0))
  );
};

const hasOptions = (row: readonly unknown[]) => typeof row.at(-1) === 'object' && row.at(-1) !== null;

const optionsOf = (row: readonly unknown[]): Options => (hasOptions(row) ? (row.at(-1) as Options) : {});

const rowForm = 'write [namespace, name, dimension, value, …, options] or [{ expression }].';
