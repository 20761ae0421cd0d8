import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { consumerNames, type Job, jobNames, jobs } from '../../../lambdas/api/background-functions.ts';
import { requirementsOf } from '../../../lambdas/api/chain.ts';
import { type Endpoint, methodsOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import {
  type MacKeyName,
  macKeyVariable,
  queueVariable,
  settingVariable,
  tableVariable,
} from '../../../lambdas/api/environment.ts';
import { type Queue, type QueueName, queues } from '../../../lambdas/api/queues.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { queueId } from '../integrations/queue-policies.ts';
import {
  functionNamed,
  grantsOf,
  logicalIdOf,
  type Resource,
  resourcesOf,
  retriedByLambda,
  roleOf,
  stackName,
  type Template,
  targetIdOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';

describe('endpoints', () => {
  const config = loadStageConfig('example');
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  /** `webhookSecrets` is `WebhookSecrets` in the stack. */
  const keyId = (key: MacKeyName) => logicalIdOf(template, key.charAt(0).toUpperCase() + key.slice(1), 'AWS::KMS::Key');

  /** An update of a key may name only the day of its last use. */
  const onlyLastUse = ' if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["companyId","sk","lastUsedOn"]}}';

  test('at the throttle fit into the concurrency of the account, even if each request times out', () => {
    const { throttle, monitoring } = config;
    const remedy = 'Lower throttle.requestsPerSecond in config/example.json, or raise lambdaConcurrencyQuota there.';
    const executions = 5 * throttle.requestsPerSecond;
    expect(executions, remedy).toBeLessThanOrEqual(monitoring.lambdaConcurrencyQuota);
  });

  describe.each(Object.entries<Endpoint>(endpoints))('%s', (operationId, endpoint) => {
    const functionName = `${stackName}-${operationId}`;
    const { tableActions, settings, macKeys } = requirementsOf(endpoint);
    const { queueActions = {}, timeoutSeconds = 5 } = endpoint;

    test.each(methodsOf(endpoint))(
      '%s invokes its function’s live alias, without API Gateway key or authorizer',
      (name) => {
        const method = methods().find(({ method, path }) => method === name && path === endpoint.path);
        expect(method?.properties).toMatchObject({ AuthorizationType: 'NONE', ApiKeyRequired: false });
        expect(method?.properties.Integration.Type).toBe('AWS_PROXY');
        expect(method?.aliasLogicalId).toBe(aliasOf(functionName));
      },
    );

    test('permits only API Gateway to invoke its live alias, only for its methods', () => {
      const [functionId] = functionNamed(template, functionName);
      const alias = aliasOf(functionName);
      const permissions = resourcesOf(template, 'AWS::Lambda::Permission').filter(
        ([, { Properties }]) =>
          Properties.FunctionName.Ref === alias || JSON.stringify(Properties.FunctionName).includes(`"${functionId}"`),
      );
      const [apiId] = theResource(template, 'AWS::ApiGateway::RestApi');
      const { StageName } = theResource(template, 'AWS::ApiGateway::Stage')[1].Properties;
      const path = endpoint.path.replaceAll(/\{\w+\}/g, '*');
      expect(permissions).toHaveLength(methodsOf(endpoint).length);
      for (const [index, method] of methodsOf(endpoint).entries()) {
        const { FunctionName, Principal, SourceArn } = permissions[index]?.[1].Properties ?? {};
        expect(FunctionName).toEqual({ Ref: alias });
        expect(Principal).toBe('apigateway.amazonaws.com');
        expect(SourceArn['Fn::Join'][1].slice(-2)).toEqual([{ Ref: apiId }, `/${StageName}/${method}${path}`]);
      }
    });

    test('may do exactly what its row and its chain require, and write its log', () => {
      const [, { Properties: role }] = roleOf(template, functionNamed(template, functionName)[1]);
      expect(role.ManagedPolicyArns).toBeUndefined();
      expect(grantsOf(template, role)).toEqual(
        new Set([
          ...Object.entries(tableActions).flatMap(([table, actions]) =>
            actions.map(
              (action) =>
                `dynamodb:${action} on ${targetIdOf(template, table)}${action === 'UpdateItem' && table === 'ApiKeys' ? onlyLastUse : ''}`,
            ),
          ),
          ...Object.entries(queueActions).flatMap(([queue, actions]) =>
            actions.map((action) => `sqs:${action} on ${queueId(template, queue as QueueName)}`),
          ),
          ...macKeys.map((key) => `kms:GenerateMac on ${keyId(key)}`),
          `logs:CreateLogStream on ${functionNamed(template, functionName)[1].Properties.LoggingConfig.LogGroup.Ref}`,
          `logs:PutLogEvents on ${functionNamed(template, functionName)[1].Properties.LoggingConfig.LogGroup.Ref}`,
        ]),
      );
    });

    test('has exactly the tables and settings that it needs in its environment', () => {
      const settingValues = {
        requiredConsentVersion: '3',
        consentPortalUrl: 'https://portal.example.com/consent',
        metricNamespace: stackName,
        newestConsentVersion: '3',
        canaryCompanyId: '-',
        logRetentionDays: '90',
      };
      expect(functionNamed(template, functionName)[1].Properties.Environment.Variables).toEqual({
        ...Object.fromEntries(
          Object.keys(tableActions).map((target) => {
            const [table] = target.split('/') as [TableName];
            return [tableVariable(table), { Ref: logicalIdOf(template, table) }];
          }),
        ),
        ...Object.fromEntries(
          (Object.keys(queueActions) as QueueName[]).map((queue) => [
            queueVariable(queue),
            { Ref: queueId(template, queue) },
          ]),
        ),
        ...Object.fromEntries(macKeys.map((key) => [macKeyVariable(key), { 'Fn::GetAtt': [keyId(key), 'Arn'] }])),
        ...Object.fromEntries(settings.map((setting) => [settingVariable(setting), settingValues[setting]])),
      });
    });

    test('runs on arm64 and Node.js 24, with its row’s timeout and JSON logs in the group of requests', () => {
      const { Properties } = functionNamed(template, functionName)[1];
      expect(Properties).toMatchObject({
        Architectures: ['arm64'],
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        MemorySize: 384,
        Timeout: timeoutSeconds,
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' },
      });
      const logGroupId = Properties.LoggingConfig.LogGroup.Ref;
      expect(logGroupId).toMatch(/^RequestLog/);
      expect(template.Resources[logGroupId]?.Properties.RetentionInDays).toBe(config.logRetentionDays);
    });
  });

  test('every function, rule, mapping and method has a row', () => {
    expect(resourcesOf(template, 'AWS::Lambda::Function')).toHaveLength(
      operationIds.length + jobNames.length + consumerNames.length,
    );
    const queuesBehindBus = Object.values<Queue>(queues).filter(({ isBehindBus }) => isBehindBus);
    expect(resourcesOf(template, 'AWS::Events::Rule')).toHaveLength(jobNames.length + queuesBehindBus.length);
    expect(resourcesOf(template, 'AWS::Lambda::EventSourceMapping')).toHaveLength(consumerNames.length);
    expect(methods()).toHaveLength(operationIds.flatMap((id) => methodsOf(endpoints[id])).length);
  });

  const methods = () =>
    resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => ({
      method: Properties.HttpMethod,
      path: pathOf(Properties.ResourceId),
      properties: Properties,
      aliasLogicalId: Properties.Integration.Uri['Fn::Join'][1].find(
        (part: { Ref?: string }) => template.Resources[part.Ref ?? '']?.Type === 'AWS::Lambda::Alias',
      )?.Ref,
    }));

  /** Returns the alias `live` of a function. */
  const aliasOf = (functionName: string): string | undefined => {
    const [functionId] = functionNamed(template, functionName);
    const aliases = resourcesOf(template, 'AWS::Lambda::Alias');
    return aliases.find(
      ([, { Properties }]) => Properties.Name === 'live' && Properties.FunctionName.Ref === functionId,
    )?.[0];
  };

  /** Builds a path by following the resources up to the root. */
  const pathOf = (resource: { Ref?: string }): string => {
    if (!resource.Ref) return '';
    const { ParentId, PathPart } = (template.Resources[resource.Ref] as Resource).Properties;
    return `${pathOf(ParentId)}/${PathPart}`;
  };
});

test('Lambda retries a failed run only of the daily job: the next run of the others is the retry', async () => {
  const template = await templateOfStage('example');
  const retried = jobNames.filter((name) =>
    retriedByLambda(template, functionNamed(template, `${stackName}-${name}`)[1]),
  );
  expect(retried).toEqual(['watchKeyExpiry']);
});

describe('jobs', () => {
  const config = loadStageConfig('example');
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  const keyId = (key: MacKeyName) => logicalIdOf(template, key.charAt(0).toUpperCase() + key.slice(1), 'AWS::KMS::Key');

  const requestLogId = () =>
    resourcesOf(template, 'AWS::Logs::LogGroup').find(([logicalId]) => logicalId.startsWith('RequestLog'))?.[0];

  describe.each(Object.entries<Job>(jobs))(
    '%s',
    (name, { schedule, tableActions, settings, queueActions = {}, queriesRequestLog, watchedMacKeys = [] }) => {
      const job = () => functionNamed(template, `${stackName}-${name}`);

      test('is invoked only by the rule of its schedule', () => {
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

      test('may do exactly what its row says, on exactly those tables and indexes, and write its log', () => {
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
            ...(queriesRequestLog ? [`logs:StartQuery on ${requestLogId()}`, 'logs:GetQueryResults on *'] : []),
            ...watchedMacKeys.map((key) => `kms:DescribeKey on ${keyId(key)}`),
            `logs:CreateLogStream on ${logGroup}`,
            `logs:PutLogEvents on ${logGroup}`,
          ]),
        );
      });

      test('has its row’s tables and settings, a timeout of five minutes, and the stage’s log retention', () => {
        const { Environment, Timeout, LoggingConfig, Runtime } = job()[1].Properties;
        const tables = new Set(Object.keys(tableActions).map((target) => target.split('/')[0] as TableName));
        expect(Environment.Variables).toEqual({
          ...Object.fromEntries(
            [...tables].map((table) => [tableVariable(table), { Ref: logicalIdOf(template, table) }]),
          ),
          ...Object.fromEntries(
            (Object.keys(queueActions) as QueueName[]).map((queue) => [
              queueVariable(queue),
              { Ref: queueId(template, queue) },
            ]),
          ),
          ...(settings.includes('metricNamespace') && { METRIC_NAMESPACE: stackName }),
          ...(settings.includes('logRetentionDays') && { LOG_RETENTION_DAYS: String(config.logRetentionDays) }),
          ...(queriesRequestLog && { REQUEST_LOG: { Ref: requestLogId() } }),
          ...Object.fromEntries(
            watchedMacKeys.map((key) => [macKeyVariable(key), { 'Fn::GetAtt': [keyId(key), 'Arn'] }]),
          ),
        });
        expect([Timeout, Runtime]).toEqual([300, 'nodejs24.x']);
        expect(LoggingConfig.LogGroup.Ref).toMatch(/^JobLog/);
        expect(template.Resources[LoggingConfig.LogGroup.Ref]?.Properties.RetentionInDays).toBe(
          config.logRetentionDays,
        );
      });
    },
  );
});
