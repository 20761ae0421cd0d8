import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { accessLogFields } from '../../infra/api/api.ts';
import { feedDays } from '../../lambdas/api/limits.ts';
import { archivedDays, lateDays, messageRetentionDays } from '../../lambdas/api/queues.ts';
import { keptMs, segmentRemovedAt } from '../../lambdas/data/feed/feed-items.ts';
import { logicalNames } from '../../operator/integrations/integrations.ts';
import { fullConfig, type Resource, resourcesOf, type Template, templateOf } from '../infra/synthesized.ts';

const page = readFileSync('docs/personal-data.md', 'utf8');
const dayMs = 86_400_000;
let template: Template;
beforeAll(async () => {
  template = await templateOf(fullConfig);
});

/** The rows of the table of places: what stores data, and until when. */
const places = new Map<string, { readonly what: string; readonly until: string }>(
  [...page.matchAll(/^\| (table|queue|log group|archive) `(\S+)` \| (.+?) \| (.+?) \|/gm)].map(
    ([, kind, name, what = '', until = '']) => [`${kind} ${name}`, { what, until }] as const,
  ),
);
const untilOf = (place: string) => places.get(place)?.until;
const nameOf = (logicalId: string) => logicalId.replace(/[0-9A-F]{8}$/, '');
const namesOf = (type: string) => resourcesOf(template, type).map(([logicalId]) => nameOf(logicalId));
const propertiesOf = (type: string): Resource['Properties'][] =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties);

test('the page lists exactly the tables, log groups, archives and queues of the template', () => {
  const queues = new Map(Object.entries(logicalNames).map(([queue, name]) => [name, queue]));
  const remedy =
    'Write what these places keep of owners, and until when, into docs/generate/personal-data.ts, then npm run generate.';
  expect([...places.keys()].toSorted(), remedy).toEqual(
    [
      ...namesOf('AWS::DynamoDB::GlobalTable').map((name) => `table ${name}`),
      ...namesOf('AWS::Logs::LogGroup').map((name) => `log group ${name}`),
      ...namesOf('AWS::Events::Archive').map((name) => `archive ${name}`),
      ...namesOf('AWS::SQS::Queue').map((name) => `queue ${queues.get(name) ?? name}`),
    ].toSorted(),
  );
});

test('the access log contains no id of an owner or a gateway, only the pattern of the path', () => {
  const ids = Object.values(accessLogFields).filter((field) =>
    /\.(path|requestOverride|authorizer)\b|header/.test(`${field}`),
  );
  expect([ids, accessLogFields.path]).toEqual([[], '$context.resourcePath']);
  expect(places.get('log group AccessLog')?.what).toMatch(/^no owner data: .*its path pattern/);
});

test('logs expire after the configured days, messages and archives after those on the page', () => {
  for (const { RetentionInDays } of propertiesOf('AWS::Logs::LogGroup'))
    expect(RetentionInDays).toBe(fullConfig.logRetentionDays);
  for (const { MessageRetentionPeriod } of propertiesOf('AWS::SQS::Queue'))
    expect(MessageRetentionPeriod).toBe(messageRetentionDays * 86_400);
  for (const { RetentionDays } of propertiesOf('AWS::Events::Archive')) expect(RetentionDays).toBe(archivedDays);
  expect(untilOf('log group RequestLog')).toContain('`logRetentionDays` of the stage');
  expect(untilOf('queue portalEvents')).toContain(`${messageRetentionDays} days at most`);
  expect(untilOf('archive IntegrationsPortalBusArchive')).toBe(`${archivedDays} days`);
});

test('rows of feeds expire a day after they are last shown, which is 30 days', () => {
  expect([feedDays, keptMs]).toEqual([30, 30 * dayMs]);
  expect(segmentRemovedAt(0)).toBe((31 * dayMs) / 1000);
  expect(untilOf('table Events')).toContain('31 days');
  expect(page).toMatch(/in the feed of each company, for .*31 days/);
});

test('only tables with history have backups, for the days on the page', () => {
  for (const [logicalId, { Properties }] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
    const specifications: Resource['Properties'][] = Properties.Replicas.map(
      (replica: Resource['Properties']) => replica.PointInTimeRecoverySpecification ?? {},
    );
    // By default, DynamoDB keeps 35 days.
    for (const { RecoveryPeriodInDays = 35 } of specifications) expect(RecoveryPeriodInDays).toBe(35);
    const isBackedUp = specifications.every(({ PointInTimeRecoveryEnabled }) => PointInTimeRecoveryEnabled);
    const isDocumented = untilOf(`table ${nameOf(logicalId)}`)?.includes('in backups 35 days longer');
    if (isDocumented) expect(isBackedUp).toBe(true);
  }
  expect(page).toMatch(/Backups.*35 days/);
  for (const table of ['Contracts', 'Appliances', 'AuditLog']) expect(untilOf(`table ${table}`)).toContain('backups');
});

test('the time of an erasure is kept longer than anything from before it can arrive', () => {
  expect(lateDays).toBe(archivedDays + 2 * messageRetentionDays);
  expect(lateDays).toBeGreaterThan(feedDays + 1);
  expect(lateDays).toBeGreaterThan(35);
  expect(page).toMatch(new RegExp(`with the time of the erasure.*${lateDays} days`));
});
