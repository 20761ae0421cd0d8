import { faultsOfMath, faultsOfStatistics } from './alarms.ts';
import { type Check, resourcesOf, textOf } from './check.ts';

/** The quotas of a dashboard that CloudWatch documents. It documents none for the length of the body. */
const maximum = { widgets: 500, metricsOfWidget: 500, metrics: 2500 };

const columns = 24;

type Widget = {
  readonly x?: number;
  readonly width?: number;
  readonly properties?: { readonly title?: string; readonly metrics?: readonly Row[] };
};

/** `[namespace, name, dimension, value, …]`, with options last if it has any, or `[{ expression }]`. */
type Row = readonly (string | Options)[];

type Options = { readonly id?: string; readonly expression?: string; readonly stat?: string };

/** Finds faults that the CDK does not check: widgets beyond the edge or the quotas, and misspelt expressions and statistics. */
export const checkDashboards: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Dashboard').flatMap(({ logicalId, properties }) => {
    const { widgets }: { widgets: readonly Widget[] } = JSON.parse(textOf(properties.DashboardBody) ?? '');
    const metrics = widgets.flatMap(rowsOf).length;
    const sentences = [
      ...(widgets.length > maximum.widgets ? [`has ${widgets.length} widgets, and ${tooMany(maximum.widgets)}`] : []),
      ...(metrics > maximum.metrics ? [`shows ${metrics} metrics, and ${tooMany(maximum.metrics)}`] : []),
      ...widgets.flatMap((widget, index) => faultsOf(widget).map((fault) => `${nameOf(widget, index)} ${fault}`)),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const faultsOf = (widget: Widget): string[] => {
  const { x = 0, width = 6 } = widget;
  const rows = rowsOf(widget);
  const options = rows.map(optionsOf);
  return [
    ...(x + width > columns ? [`ends at column ${x + width} of ${columns}; make it narrower or move it.`] : []),
    ...(rows.length > maximum.metricsOfWidget ? [`shows too many metrics; ${tooMany(maximum.metricsOfWidget)}`] : []),
    ...faultsOfMath(options),
    ...faultsOfStatistics(options.map(({ stat }) => stat)),
  ];
};

const rowsOf = ({ properties }: Widget): readonly Row[] => properties?.metrics ?? [];

const optionsOf = (row: Row): Options => {
  const last = row.at(-1);
  return typeof last === 'object' ? last : {};
};

const nameOf = ({ properties }: Widget, index: number) =>
  `has a widget ${index + 1}${properties?.title ? ` ("${properties.title}")` : ''} that`;

const tooMany = (limit: number) => `CloudWatch shows ${limit}; split the dashboard.`;
