import { beforeAll, describe, expect, test } from 'vitest';
import { sandboxControls, simulateHomes } from '../../lambdas/api/sandbox.ts';
import {
  fullConfig,
  functionNamed,
  grantsOf,
  logicalIdOf,
  longestStage,
  resourceOf,
  resourcesOf,
  retriedByLambda,
  roleOf,
  sandboxConfig,
  stackName,
  synthFault,
  type Template,
  templateOf,
} from './synthesized.ts';

let template: Template;
/** The same stage without the option. */
let without: Template;
beforeAll(async () => {
  const { simulatedHomes: _, ...config } = sandboxConfig;
  [template, without] = await Promise.all([templateOf(sandboxConfig), templateOf(config)]);
});

const isOfSandbox = (logicalId: string) => /^(Sandbox|SimulatedHomes)/.test(logicalId);
const theFunction = () => functionNamed(template, `${stackName}-simulateHomes`)[1];
const idOf = (name: string, type: string) => logicalIdOf(template, name, type);
const requestedChanges = () => idOf('IntegrationsQueuesrequestedChangesQueue', 'AWS::SQS::Queue');
const gatewayReports = () => idOf('IntegrationsQueuesgatewayReportsQueue', 'AWS::SQS::Queue');
const controls = () => idOf('SandboxControls', 'AWS::SQS::Queue');
const portalBus = () => idOf('IntegrationsPortalBus', 'AWS::Events::EventBus');

describe('a stage without simulatedHomes', () => {
  test('has no resource of the sandbox', async () => {
    for (const { Resources } of [without, await templateOf(fullConfig)])
      expect(Object.keys(Resources).filter(isOfSandbox)).toEqual([]);
  });

  test('is the same as a sandbox without its resources, the right to send controls and the wait for a change', () => {
    const rest = Object.entries(structuredClone(template.Resources)).filter(([logicalId]) => !isOfSandbox(logicalId));
    const changes = rest.find(([logicalId]) => logicalId === requestedChanges())?.[1].Properties;
    expect(changes?.VisibilityTimeout).toBe(150);
    if (changes) changes.VisibilityTimeout = 30;
    // The CDK merges the statement into that of the other queues that an operator may send to.
    const resource = `{"Fn::GetAtt":["${controls()}","Arn"]}`;
    const [before = '', after = '', ...more] = JSON.stringify(rest).split(`,${resource}`);
    expect(more).toEqual([]);
    expect(before.slice(before.lastIndexOf('"Action":'))).toMatch(/^"Action":"sqs:SendMessage",/);
    expect(JSON.parse(`${before}${after}`)).toEqual(JSON.parse(JSON.stringify(Object.entries(without.Resources))));
  });
});

test('logical ids of the sandbox never change', () => {
  const ids = Object.entries(template.Resources).flatMap(([logicalId, { Type }]) =>
    // A permission of Lambda may be replaced at any time, and its id contains the name of the stage.
    isOfSandbox(logicalId) && Type !== 'AWS::Lambda::Permission'
      ? [`${Type} ${logicalId.replace(/[0-9A-F]{8}$/, '')}`]
      : [],
  );
  expect(ids.toSorted()).toEqual([
    'AWS::DynamoDB::GlobalTable SimulatedHomes',
    'AWS::Events::Rule SandboxSchedule',
    'AWS::IAM::Role SandboxsimulateHomesRole',
    'AWS::Lambda::EventInvokeConfig SandboxsimulateHomesFunctionEventInvokeConfig',
    'AWS::Lambda::EventSourceMapping SandboxChangesSourceMapping',
    'AWS::Lambda::EventSourceMapping SandboxControlsSourceMapping',
    'AWS::Lambda::Function SandboxsimulateHomesFunction',
    'AWS::SQS::Queue SandboxControls',
    'AWS::SQS::QueuePolicy SandboxControlsPolicy',
  ]);
});

test('a sandbox with the longest name passes every check of a synth', async () => {
  expect(await synthFault(sandboxConfig, longestStage)).toBeUndefined();
});

test('the function may do exactly what the real systems may, read the companies, and use its own table', () => {
  const homes = logicalIdOf(template, 'SimulatedHomes');
  const received = [requestedChanges(), controls()].flatMap((queue) =>
    ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map((action) => `sqs:${action} on ${queue}`),
  );
  expect(grantsOf(template, roleOf(template, theFunction())[1].Properties)).toEqual(
    new Set([
      `dynamodb:GetItem on ${homes}`,
      `dynamodb:PutItem on ${homes}`,
      `dynamodb:Query on ${homes}/index/byDue`,
      `dynamodb:Scan on ${logicalIdOf(template, 'Companies')}`,
      ...received,
      `sqs:SendMessage on ${gatewayReports()}`,
      `events:PutEvents on ${portalBus()}`,
      ...['CreateLogStream', 'PutLogEvents'].map(
        (action) => `logs:${action} on ${logicalIdOf(template, 'ConsumerLog', 'AWS::Logs::LogGroup')}`,
      ),
    ]),
  );
});

test('the function has the variables that it needs, and no others', () => {
  expect(theFunction().Properties.Environment.Variables).toEqual({
    METRIC_NAMESPACE: stackName,
    REQUIRED_CONSENT_VERSION: '3',
    COMPANIES_TABLE: { Ref: logicalIdOf(template, 'Companies') },
    GATEWAY_REPORTS_QUEUE: { Ref: gatewayReports() },
    SIMULATED_HOMES_TABLE: { Ref: logicalIdOf(template, 'SimulatedHomes') },
    SIMULATED_HOMES_OF_COMPANY: '3',
    PORTAL_BUS: { Ref: portalBus() },
  });
});

test('both queues invoke the function, and hide a message for six times as long as a call takes', () => {
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(([id]) => isOfSandbox(id));
  expect(mappings.map(([, { Properties }]) => Properties.EventSourceArn['Fn::GetAtt'][0])).toEqual([
    requestedChanges(),
    controls(),
  ]);
  for (const [, { Properties }] of mappings)
    expect(Properties).toMatchObject({
      BatchSize: simulateHomes.batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: simulateHomes.maxConcurrency },
    });
  for (const queue of [requestedChanges(), controls()])
    expect(template.Resources[queue]?.Properties.VisibilityTimeout).toBe(6 * theFunction().Properties.Timeout);
  expect(template.Resources[controls()]?.Properties.MessageRetentionPeriod).toBe(sandboxControls.retentionMinutes * 60);
});

test('a schedule invokes the function each minute', () => {
  const [, { Properties }] = resourceOf(template, 'AWS::Events::Rule', 'SandboxSchedule');
  expect(Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  expect(Properties.Targets).toHaveLength(1);
  expect(retriedByLambda(template, theFunction())).toBe(false);
});

test('the table can be lost and is deleted with the stage', () => {
  const homes = template.Resources[logicalIdOf(template, 'SimulatedHomes')];
  expect(homes).toMatchObject({ DeletionPolicy: 'Delete', Properties: { BillingMode: 'PAY_PER_REQUEST' } });
  expect(homes?.Properties.Replicas).toMatchObject([{ DeletionProtectionEnabled: false }]);
});
