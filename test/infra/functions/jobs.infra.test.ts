import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { type Job, jobs } from '../../../lambdas/api/background-functions.ts';
import { queueVariable, tableVariable } from '../../../lambdas/api/environment.ts';
import type { QueueName } from '../../../lambdas/api/queues.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { functionNamed, grantsOf, logicalIdOf, roleOf } from '../functions-and-roles.ts';
import { queueId } from '../seams/queue-policies.ts';
import { resourcesOf, stackName, type Template, templateOfStage } from '../synthesized.ts';

const config = loadStageConfig('example');
let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

describe.each(Object.entries<Job>(jobs))('%s', (name, { schedule, tableActions, settings, queueActions = {} }) => {
  const job = () => functionNamed(template, `${stackName}-${name}`);

  test('is called by the rule of its schedule, and by nothing else', () => {
    const rules = resourcesOf(template, 'AWS::Events::Rule').filter(
      ([, { Properties }]) => Properties.Targets[0].Arn['Fn::GetAtt'][0] === job()[0],
    );
    expect(rules).toHaveLength(1);
    const [ruleId, rule] = rules[0] ?? [];
    expect(rule?.Properties).toMatchObject({ ScheduleExpression: schedule, State: 'ENABLED' });
    expect(rule?.Properties.Targets).toHaveLength(1);
    const permissions = resourcesOf(template, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.FunctionName['Fn::GetAtt']?.[0] === job()[0],
    );
    expect(permissions.map(([, { Properties }]) => [Properties.Principal, Properties.SourceArn])).toEqual([
      ['events.amazonaws.com', { 'Fn::GetAtt': [ruleId, 'Arn'] }],
    ]);
  });

  test('may do exactly what its row says, on exactly those tables and indexes, and write its own log', () => {
    const [, { Properties: role }] = roleOf(template, job()[1]);
    const logGroup = job()[1].Properties.LoggingConfig.LogGroup.Ref;
    expect(role.ManagedPolicyArns).toBeUndefined();
    expect(grantsOf(template, role)).toEqual(
      new Set([
        ...Object.entries(tableActions).flatMap(([target, actions]) => {
          const [table = '', ...index] = target.split('/');
          const resource = [logicalIdOf(template, table), ...index].join('/');
          return actions.map((action) => `dynamodb:${action} on ${resource}`);
        }),
        ...Object.entries(queueActions).flatMap(([queue, actions]) =>
          actions.map((action) => `sqs:${action} on ${queueId(template, queue as QueueName)}`),
        ),
        `logs:CreateLogStream on ${logGroup}`,
        `logs:PutLogEvents on ${logGroup}`,
      ]),
    );
  });

  test('is told the tables and settings of its row, runs for five minutes at most, and logs with the retention of the stage', () => {
    const { Environment, Timeout, LoggingConfig, Runtime } = job()[1].Properties;
    const tables = new Set(Object.keys(tableActions).map((target) => target.split('/')[0] as TableName));
    expect(Environment.Variables).toEqual({
      ...Object.fromEntries([...tables].map((table) => [tableVariable(table), { Ref: logicalIdOf(template, table) }])),
      ...Object.fromEntries(
        (Object.keys(queueActions) as QueueName[]).map((queue) => [
          queueVariable(queue),
          { Ref: queueId(template, queue) },
        ]),
      ),
      ...(settings.includes('metricNamespace') && { METRIC_NAMESPACE: stackName }),
    });
    expect([Timeout, Runtime]).toEqual([300, 'nodejs24.x']);
    expect(LoggingConfig.LogGroup.Ref).toMatch(/^JobLog/);
    expect(template.Resources[LoggingConfig.LogGroup.Ref]?.Properties.RetentionInDays).toBe(config.logRetentionDays);
  });
});
