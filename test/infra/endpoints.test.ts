import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoint.ts';
import { endpoints, operationIds } from '../../lambdas/api/endpoints.ts';
import { settingVariable, tableVariable } from '../../lambdas/api/environment-variables.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { type Resource, resourcesOf, stackName, synthesize, type Template } from './synthesized.ts';

const config = loadStageConfig('example');
let template: Template;
beforeAll(async () => {
  template = await synthesize(config);
});

describe.each(Object.entries<Endpoint>(endpoints))('%s', (operationId, endpoint) => {
  const functionName = `${stackName}-${operationId}`;
  const { tableActions, settings } = requirementsOf(endpoint);

  test('is the method of its path, answered by its own function, with no key or authorizer of the gateway', () => {
    const method = methods().find(({ method, path }) => method === endpoint.method && path === endpoint.path);
    expect(method?.properties).toMatchObject({ AuthorizationType: 'NONE', ApiKeyRequired: false });
    expect(method?.properties.Integration.Type).toBe('AWS_PROXY');
    expect(method?.functionLogicalId).toBe(functionNamed(functionName)[0]);
  });

  test('lets API Gateway call its function for this method only', () => {
    const permissions = resourcesOf(template, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.FunctionName['Fn::GetAtt'][0] === functionNamed(functionName)[0],
    );
    expect(permissions).toHaveLength(1);
    const { Principal, SourceArn } = permissions[0]?.[1].Properties ?? {};
    expect(Principal).toBe('apigateway.amazonaws.com');
    const [stageId] = resourcesOf(template, 'AWS::ApiGateway::Stage')[0] ?? [];
    expect(SourceArn['Fn::Join'][1].slice(-2)).toEqual([
      { Ref: stageId },
      `/${endpoint.method}${endpoint.path.replaceAll(/\{\w+\}/g, '*')}`,
    ]);
  });

  test('may do exactly what its row and its chain say, on exactly those tables, and write its own log', () => {
    const [, { Properties: role }] = roleOf(functionNamed(functionName)[1]);
    expect(role.ManagedPolicyArns).toBeUndefined();
    expect(grantsOf(role)).toEqual(
      new Set([
        ...Object.entries(tableActions).flatMap(([table, actions]) =>
          actions.map((action) => `dynamodb:${action} on ${logicalIdOf(table)}`),
        ),
        `logs:CreateLogStream on ${functionNamed(functionName)[1].Properties.LoggingConfig.LogGroup.Ref}`,
        `logs:PutLogEvents on ${functionNamed(functionName)[1].Properties.LoggingConfig.LogGroup.Ref}`,
      ]),
    );
  });

  test('is told exactly the tables and settings that it needs', () => {
    const settingValues = {
      requiredConsentVersion: '3',
      consentPortalUrl: 'https://portal.example.com/consent',
      metricNamespace: stackName,
    };
    expect(functionNamed(functionName)[1].Properties.Environment.Variables).toEqual({
      ...Object.fromEntries(
        Object.keys(tableActions).map((table) => [tableVariable(table as TableName), { Ref: logicalIdOf(table) }]),
      ),
      ...Object.fromEntries(settings.map((setting) => [settingVariable(setting), settingValues[setting]])),
    });
  });

  test('runs as decided: arm64, Node.js 24, five seconds, JSON log in the group of all requests with the retention of the stage', () => {
    const { Properties } = functionNamed(functionName)[1];
    expect(Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      MemorySize: 512,
      Timeout: 5,
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' },
    });
    const logGroupId = Properties.LoggingConfig.LogGroup.Ref;
    expect(logGroupId).toMatch(/^RequestLog/);
    expect(template.Resources[logGroupId]?.Properties.RetentionInDays).toBe(config.logRetentionDays);
  });
});

test('nothing exists without a row: no handler file, no function, no method, no log group', () => {
  expect(readdirSync('lambdas/handlers').sort()).toEqual(operationIds.map((id) => `${id}.ts`).sort());
  expect(resourcesOf(template, 'AWS::Lambda::Function')).toHaveLength(operationIds.length);
  expect(methods()).toHaveLength(operationIds.length);
  const logGroups = resourcesOf(template, 'AWS::Logs::LogGroup').map(([id]) => id.slice(0, -8));
  expect(logGroups.sort()).toEqual(['AccessLog', 'RequestLog']);
});

const methods = () =>
  resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    method: Properties.HttpMethod,
    path: pathOf(Properties.ResourceId),
    properties: Properties,
    functionLogicalId: Properties.Integration.Uri['Fn::Join'][1].find(
      (part: { 'Fn::GetAtt'?: string[] }) => part['Fn::GetAtt'],
    )['Fn::GetAtt'][0],
  }));

/** Follows the resources up to the root. */
const pathOf = (resource: { Ref?: string }): string => {
  if (!resource.Ref) return '';
  const { ParentId, PathPart } = (template.Resources[resource.Ref] as Resource).Properties;
  return `${pathOf(ParentId)}/${PathPart}`;
};

const functionNamed = (name: string): [string, Resource] => {
  const found = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.FunctionName === name,
  );
  expect(found).toHaveLength(1);
  return found[0] as [string, Resource];
};

const roleOf = ({ Properties }: Resource): [string, Resource] => {
  const [logicalId] = Properties.Role['Fn::GetAtt'];
  return [logicalId, template.Resources[logicalId] as Resource];
};

/** The logical id of the table that stands in the stack under this name. */
const logicalIdOf = (table: string): string => {
  const found = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').filter(([id]) =>
    new RegExp(`^${table}[0-9A-F]{8}$`).test(id),
  );
  expect(found).toHaveLength(1);
  return found[0]?.[0] as string;
};

/** Every pair of action and resource that a role allows, policies of their own resource included. */
const grantsOf = (role: Resource['Properties']): Set<string> => {
  expect(resourcesOf(template, 'AWS::IAM::Policy')).toEqual([]);
  return new Set(
    role.Policies.flatMap(({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) =>
      PolicyDocument.Statement.flatMap(({ Effect, Action, Resource }) => {
        expect(Effect).toBe('Allow');
        return [Action].flat().flatMap((action) =>
          [Resource].flat().map((resource) => {
            expect(resource['Fn::GetAtt'][1]).toBe('Arn');
            return `${action} on ${resource['Fn::GetAtt'][0]}`;
          }),
        );
      }),
    ),
  );
};

type GetArn = { readonly 'Fn::GetAtt': readonly [string, string] };
type Statement = { readonly Effect: string; readonly Action: string | string[]; readonly Resource: GetArn | GetArn[] };
