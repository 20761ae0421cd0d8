import type { WidgetView } from 'serve-stack/cloudwatch';
import { resourcesOf } from 'serve-stack/template';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { savedQueries } from '../../infra/monitoring/log-queries.ts';
import { alarmsThatRang, alarmsThatRing, runScenario } from '../../local/dashboard-preview/run-scenario.ts';
import { type Scenario, scenarios } from '../../local/dashboard-preview/scenarios.ts';
import { campaign, proven } from '../support/campaign.ts';
import { openService, type Service } from '../support/service.ts';
import { stopStopwatch } from '../support/time.ts';

type ScenarioName = keyof typeof scenarios;

const names = Object.keys(scenarios) as ScenarioName[];

/**
 * Scenarios that have the same fault, or whose causes do not affect each other: each group is played at once, which takes as
 * long as its longest.
 */
const independent: readonly (readonly ScenarioName[])[] = [
  ['consumers-failing', 'store-down'],
  ['consumers-stopped', 'schedules-stopped'],
  ['messages-refused', 'backend-idle', 'events-lost', 'last-key-expiring', 'key-disabled'],
];

/** The healthy scenario is played first: it has cold starts. */
const played = [...names.filter((name) => !independent.flat().includes(name)).map((name) => [name]), ...independent];

/** Shorter than elsewhere: in some scenarios functions wait for a store that is unavailable, and this wait is long enough. */
const timeFactor = 20;

let service: Service;
const runs: Partial<Record<ScenarioName, Awaited<ReturnType<typeof runScenario>>>> = {};
beforeAll(async () => {
  service = await openService({ timeFactor });
});
afterAll(() => service.close());

const play = (group: readonly ScenarioName[]) => {
  const scenario = togetherOf(group.map((name) => scenarios[name]));
  const seconds = scenario.testSeconds;
  if (!group.includes('healthy')) return runScenario(service.local, scenario, { seconds });
  // The speed of this machine is irrelevant to alarms: where nothing is wrong, requests take no time, and waits follow the
  // machine's own pace.
  stopStopwatch();
  return runScenario(service.local, scenario, { seconds, ownPaceMs: Number.POSITIVE_INFINITY });
};

/** Returns a scenario with the causes of all of these, and with traffic and fault of the first. */
const togetherOf = (all: readonly Scenario[]): Scenario => {
  const [first] = all;
  if (!first || all.length === 1) return first as Scenario;
  const incidents = all.flatMap(({ incident }) => incident ?? []);
  return {
    description: all.map(({ description }) => description).join(' '),
    traffic: first.traffic,
    ...(first.fault && { fault: first.fault }),
    incident: {
      begin: async (previewed) => {
        for (const { begin } of incidents) await begin(previewed);
      },
      end: async (previewed) => {
        for (const { end } of incidents) await end(previewed);
      },
    },
    stopsSchedules: all.some(({ stopsSchedules }) => stopsSchedules),
    prepare: async (previewed) => {
      const restores = await Promise.all(all.map(({ prepare }) => prepare?.(previewed)));
      return async () => void (await Promise.all(restores.map((restore) => restore?.())));
    },
    testSeconds: Math.max(...all.map(({ testSeconds }) => testSeconds)),
    rings: all.flatMap(({ rings }) => rings),
    clears: all.flatMap(({ clears = [] }) => clears),
  };
};

const runOf = (name: ScenarioName) => {
  const run = runs[name];
  if (!run) throw new Error(`${name} has not been played.`);
  return run;
};

const shortName = (name: string) => name.replace(`${service.local.served.version().stack.name}-`, '');
const rangIn = (name: ScenarioName) => alarmsThatRang(runOf(name).alarms).map((alarm) => shortName(alarm.name));

test.for(played.map((group) => ({ name: group.join(', '), group })))(
  '$name raises the expected alarms',
  proven,
  async ({ group }, { annotate }) => {
    const run = await play(group);
    await annotate(`${run.requestsSent} requests`);
    const ringing = alarmsThatRing(run.alarms).map((alarm) => shortName(alarm.name));
    for (const name of group) {
      runs[name] = run;
      const { rings, clears = [] }: Scenario = scenarios[name];
      const remedy = `The scenario ${name} has to make the alarms in its rings ring, or none if rings is empty. Correct the alarm in infra/monitoring/alarms/ or the scenario in local/dashboard-preview/scenarios.ts.`;
      expect(rangIn(name), remedy).toEqual(rings.length === 0 ? [] : expect.arrayContaining([...rings]));
      const still = `These alarms of the scenario ${name} still ring although their cause is gone.`;
      expect(
        clears.filter((each) => ringing.includes(each)),
        still,
      ).toEqual([]);
    }
  },
);

test('every alarm fires in a scenario, except for faults that a local run cannot have', proven, () => {
  const rang = new Set(names.flatMap(rangIn));
  const silent = runOf('healthy')
    .alarms.map(({ name }) => shortName(name))
    .filter((name) => !rang.has(name));
  // DynamoDB Local never throttles.
  const remedy =
    'No scenario has made these alarms ring. Add one that does, or an incident, to local/dashboard-preview/scenarios.ts, with the alarm in rings.';
  expect(
    silent.filter((name) => name !== 'table-throttles'),
    remedy,
  ).toEqual([]);
});

test('every alarm has data at the end of a healthy run, except the one on throttled tables', proven, () => {
  const blind = runOf('healthy').alarms.filter(({ kind, lastValue }) => kind === 'metric' && lastValue === undefined);
  const remedy =
    'An alarm without data never rings. Let the function write its metric also when all is well, or add it to those of this test.';
  expect(
    blind.map(({ name }) => shortName(name)),
    remedy,
  ).toEqual(['table-throttles']);
});

describe('every widget shows something', campaign, () => {
  const isEmpty = (widget: WidgetView): boolean => {
    switch (widget.kind) {
      case 'text':
        return widget.markdown === '';
      case 'alarms':
        return widget.alarms.length === 0;
      case 'timeSeries':
        return widget.series.every(({ points }) => points.length === 0);
      case 'singleValue':
        return widget.values.some(({ value }) => value === undefined);
      case 'contributors':
        return widget.contributors.length === 0;
      case 'table':
        return widget.rows.length === 0;
    }
  };

  test('on both dashboards, in a healthy run, or in a failing run where it shows only failures', proven, () => {
    const shown = (name: ScenarioName) => {
      const { cloudWatch, range } = runOf(name);
      return cloudWatch
        .dashboards(range)
        .flatMap(({ name: dashboard, widgets }) =>
          widgets.map((widget) => ({ what: `${shortName(dashboard)}: ${widget.title}`, isEmpty: isEmpty(widget) })),
        );
    };
    const empty = (name: ScenarioName) =>
      shown(name)
        .filter((each) => each.isEmpty)
        .map(({ what }) => what);
    expect(empty('healthy').filter((what) => !/Failed|Told to wait/.test(what))).toEqual([]);
    expect(empty('audit-log-down')).not.toContain('on-call: Failed (5xx) by company');
  });

  test.for([
    // A poll that was in flight when the consumers stopped may have received some of the thousand messages.
    ['consumers-stopped', 'Integrations: messages that wait', { gatewayReports: 500, portalEvents: 1 }],
    ['consumers-stopped', 'Integrations: age of the oldest, s', { gatewayReports: 900, portalEvents: 300, relay: 900 }],
    ['messages-refused', 'Integrations: dead letters', { gatewayReports: 1, portalEvents: 1, relayFailures: 1 }],
    ['backend-idle', 'Integrations: messages that wait', { requestedChanges: 1 }],
    ['backend-idle', 'Integrations: age of the oldest, s', { requestedChanges: 300 }],
  ] as const)('of %s, %s has what happens there', proven, ([name, title, highest]) => {
    const widget = runOf(name)
      .dashboards.flatMap(({ widgets }) => widgets)
      .find((each) => each.title === title);
    if (widget?.kind !== 'timeSeries') throw new Error('That widget draws series.');
    for (const [label, atLeast] of Object.entries(highest)) {
      const points = widget.series.find((each) => each.label === label)?.points ?? [];
      expect(Math.max(...points.map(([, value]) => value)), label).toBeGreaterThanOrEqual(atLeast);
    }
  });

  test('and the throttled company, with the beginning, is the first contributor', proven, () => {
    const { dashboards, range } = runOf('healthy');
    const widget = dashboards
      .flatMap(({ widgets }) => widgets)
      .find(({ title }) => title === 'Who is throttled, and since when');
    if (widget?.kind !== 'contributors') throw new Error('That widget ranks contributors.');
    const [first] = widget.contributors;
    expect(first?.label).toBe('globex');
    const [since = 0] = first?.points.find(([, value]) => value > 0) ?? [];
    // Throttling begins after two fifths of the run; a period is five minutes.
    expect(since).toBeGreaterThan(range.fromMs + 0.25 * (range.toMs - range.fromMs));
  });
});

test('every saved query returns rows in a run that it is about', proven, () => {
  const about: Partial<Record<string, ScenarioName>> = {
    'failures-by-cause': 'audit-log-down',
    'failures-by-version': 'audit-log-down',
    'failed-requests': 'audit-log-down',
    'unrecorded-changes': 'audit-log-down',
    'refused-messages': 'messages-refused',
    'unusable-parts': 'messages-refused',
    'feed-gaps': 'events-lost',
  };
  const { stack, resolve } = service.local.served.version();
  const queries = resourcesOf(stack.template, 'AWS::Logs::QueryDefinition').map(({ Properties }) =>
    resolve<{ Name: string; QueryString: string; LogGroupNames: string[] }>(Properties),
  );
  expect(queries).toHaveLength(Object.keys(savedQueries).length);
  const { cloudWatch, range } = runOf('healthy');
  const [[requestId = ''] = []] = cloudWatch.queryLogs(
    'fields requestId | limit 1',
    queries[0]?.LogGroupNames ?? [],
    range,
  ).rows;
  for (const { Name, QueryString, LogGroupNames } of queries) {
    const name = Name.slice(Name.indexOf('/') + 1);
    // No company of the preview has a webhook.
    if (name === 'webhook-messages') continue;
    const text = QueryString.replace('put the x-request-id here', requestId);
    const run = runOf(about[name] ?? 'healthy');
    // One company makes changes, the other exceeds its rate limit.
    const rows = ['acme', 'globex'].flatMap(
      (companyId) =>
        run.cloudWatch.queryLogs(text.replace('put the companyId here', companyId), LogGroupNames, run.range).rows,
    );
    const remedy = `The query ${name} of infra/monitoring/log-queries.ts finds nothing. Correct it, or add the scenario that it is about to this test.`;
    expect(rows.length, remedy).toBeGreaterThan(0);
  }
});
