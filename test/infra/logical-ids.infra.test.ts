import { beforeAll, expect, test } from 'vitest';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { resourcesOf, stackName, type Template, templateOfStage } from './synthesized.ts';

/**
 * A deployed stage keeps its resources as long as their logical ids stay: another id means another, empty log, a topic that
 * everybody has to confirm again, or, for a resource with a fixed name, a failed deployment.
 */
let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

/** Logical ids without the hash, which is derived from the same path. */
const idsOf = (type: string) => resourcesOf(template, type).map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));

const remedy =
  'A deployed stage would lose these resources, or refuse the update. Give each construct of infra/ its old id and place back. A new resource gets its line in test/infra/logical-ids.infra.test.ts.';

test('logical ids of functions never change', () => {
  expect(idsOf('AWS::Lambda::Function').sort(), remedy).toEqual(
    [
      ...operationIds.map((operationId) => `Endpoints${operationId}Function`),
      ...jobNames.map((name) => `Jobs${name}Function`),
      ...consumerNames.map((name) => `IntegrationsConsumers${name}Function`),
    ].sort(),
  );
});

test.each([
  ['AWS::ApiGateway::RestApi', ['Api']],
  ['AWS::ApiGateway::DomainName', ['ApiDomain']],
  ['AWS::Logs::LogGroup', ['RequestLog', 'AccessLog', 'JobLog', 'ConsumerLog']],
  ['AWS::SNS::Topic', ['PageTopic', 'TicketTopic']],
  ['AWS::CloudWatch::CompositeAlarm', ['Alarmspage', 'Alarmsticket']],
  ['AWS::CloudWatch::Dashboard', ['OnCallDashboard']],
  ['AWS::Events::EventBus', ['NoticesBus', 'IntegrationsPortalBus']],
  ['AWS::Events::Archive', ['NoticesBusArchive', 'IntegrationsPortalBusArchive']],
])('logical ids never change: %s', (type, ids) => {
  expect(idsOf(type), remedy).toEqual(ids);
});

/**
 * For resources that are defined by named rows, the logical id is the name without the characters that a logical id may not
 * contain.
 */
test.each([
  ['AWS::CloudWatch::Alarm', 'AlarmName', 'Alarms'],
  ['AWS::CloudWatch::InsightRule', 'RuleName', 'InsightRules'],
  ['AWS::Logs::QueryDefinition', 'Name', 'SavedQueries'],
])('logical ids follow from the name of the row: %s', (type, nameProperty, prefix) => {
  const names = resourcesOf(template, type).map(([, { Properties }]) =>
    Properties[nameProperty].slice(stackName.length + 1),
  );
  expect(names.length).toBeGreaterThan(2);
  expect(idsOf(type), remedy).toEqual(names.map((name) => prefix + name.replaceAll('-', '')));
});
