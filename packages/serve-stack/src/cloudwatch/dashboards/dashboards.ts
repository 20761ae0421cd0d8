import { requireKnown } from '../../errors/require-known.ts';
import type { Resolve } from '../../template/intrinsics.ts';
import { readResources } from '../../template/resources.ts';
import type { Template } from '../../template/template.ts';
import type { DashboardView } from './dashboard-view.ts';
import { type WidgetContext, widgetView } from './widgets.ts';

type Body = {
  readonly widgets: readonly Readonly<Record<string, unknown>>[];
  readonly variables?: readonly Variable[];
};

type Variable = {
  readonly id: string;
  readonly type: string;
  readonly pattern: string;
  readonly defaultValue?: string;
};

export type Variables = Readonly<Record<string, string>>;

/** The template's dashboards; a variable that none of them has is an error. */
export const createDashboards = (template: Template, resolve: Resolve) => {
  const dashboards = readResources<{ DashboardBody: string }>(template, resolve, 'AWS::CloudWatch::Dashboard', [
    'DashboardName',
    'DashboardBody',
  ]).map(({ logicalId, DashboardBody }) => ({
    name: resolve<string>({ Ref: logicalId }),
    body: bodyOf(DashboardBody),
  }));

  return (context: WidgetContext, variables: Variables): DashboardView[] => {
    const ids = dashboards.flatMap(({ body }) => (body.variables ?? []).map(({ id }) => id));
    requireKnown('variable of a dashboard:', Object.keys(variables), ids);
    return dashboards.map(({ name, body }) => ({
      name,
      widgets: body.widgets.map((widget) => widgetView(substitute(widget, body.variables ?? [], variables), context)),
    }));
  };
};

const bodyOf = (text: string): Body => {
  const body = JSON.parse(text);
  requireKnown('member of a dashboard:', Object.keys(body), ['widgets', 'variables', 'start', 'end', 'periodOverride']);
  for (const variable of body.variables ?? []) requireKnownVariable(variable);
  return body;
};

const requireKnownVariable = (variable: Variable): void => {
  const input = ['inputType', 'label', 'values', 'visible'];
  requireKnown('member of a variable:', Object.keys(variable), ['id', 'type', 'pattern', 'defaultValue', ...input]);
  requireKnown(`type of the variable ${variable.id}:`, [variable.type], ['pattern']);
};

/** Puts the values of variables in place of their patterns, wherever those stand in a widget. */
const substitute = (
  widget: Readonly<Record<string, unknown>>,
  variables: readonly Variable[],
  values: Variables,
): Readonly<Record<string, unknown>> => {
  const text = variables.reduce((current, { id, pattern, defaultValue = pattern }) => {
    return current.replaceAll(inJson(pattern), () => inJson(values[id] ?? defaultValue));
  }, JSON.stringify(widget.properties));
  return { ...widget, properties: JSON.parse(text) };
};

/** Writes a text as it stands between quotes in JSON. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
