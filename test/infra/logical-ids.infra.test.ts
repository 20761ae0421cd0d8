import { beforeAll, expect, test } from 'vitest';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { resourcesOf, stackName, type Template, templateOfStage } from './synthesized.ts';

/**
 * A deployed stage keeps its resources as long as their logical ids stay: another id is another, empty log, a topic that
 * everybody has to confirm again, or, where a resource has a name of its own, a deployment that fails.
 */
let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

/** Logical ids without the hash, which follows from the same path. */
const idsOf = (type: string) => resourcesOf(template, type).map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));

test('logical ids of functions are what they have always been', () => {
  expect(idsOf('AWS::Lambda::Function').sort()).toEqual(
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
])('logical ids are what they have always been: %s', (type, ids) => {
  expect(idsOf(type)).toEqual(ids);
});

/** What is defined by rows with names: the id is the name less what a logical id may not hold. */
test.each([
  ['AWS::CloudWatch::Alarm', 'AlarmName', 'Alarms'],
  ['AWS::CloudWatch::InsightRule', 'RuleName', 'InsightRules'],
  ['AWS::Logs::QueryDefinition', 'Name', 'SavedQueries'],
])('logical ids follow from the name of the row: %s', (type, nameProperty, prefix) => {
  const names = resourcesOf(template, type).map(([, { Properties }]) =>
    Properties[nameProperty].slice(stackName.length + 1),
  );
  expect(names.length).toBeGreaterThan(2);
  expect(idsOf(type)).toEqual(names.map((name) => prefix + name.replaceAll('-', '')));
});
