import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { loadStageConfig } from '../../../config/load.ts';
import type { ProblemDefinition } from '../../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problems } from '../../../lambdas/api/problems.ts';
import { commonHeaders } from '../../../lambdas/api/version.ts';
import {
  bareConfig,
  type Resource,
  resourcesOf,
  synthesize,
  type Template,
  templateOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';

const config = loadStageConfig('example');
const { domain } = config;
let template: Template;
let templateWithoutDomain: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
  templateWithoutDomain = await templateOf(bareConfig);
});

const tls = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'STRICT' };
const regional = { EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' } };

describe('the API', () => {
  test('speaks TLS 1.2 or newer only, and answers on IPv4 and IPv6, with and without a domain', () => {
    for (const each of [template, templateWithoutDomain])
      expect(propertiesOf('AWS::ApiGateway::RestApi', each)).toMatchObject({ ...tls, ...regional });
    expect(propertiesOf('AWS::ApiGateway::DomainName')).toMatchObject({ ...tls, ...regional });
  });

  test('keeps the default endpoint when a domain is added, until a separate deployment disables it', async () => {
    if (!domain) throw new Error('The example has a domain.');
    const only = await synthesize({ ...config, domain: { ...domain, disableDefaultEndpoint: true } });
    const ofBoth = [template, only].map((each) => propertiesOf('AWS::ApiGateway::RestApi', each));
    expect(ofBoth.map(({ DisableExecuteApiEndpoint }) => DisableExecuteApiEndpoint)).toEqual([false, true]);
    expect(template.Outputs).toHaveProperty('DefaultUrl');
    expect(only.Outputs).not.toHaveProperty('DefaultUrl');
    // API Gateway disables the default endpoint with the next deployment of the API.
    const [before, after] = [template, only].map((each) => theResource(each, 'AWS::ApiGateway::Deployment')[0]);
    expect(after).not.toBe(before);
  });

  test('answers under a configured domain, with the stage as its base path', () => {
    const [domainId, { Properties }] = theResource(template, 'AWS::ApiGateway::DomainName');
    expect(Properties).toMatchObject({
      DomainName: 'api.example.com',
      RegionalCertificateArn: config.domain?.certificateArn,
    });
    expect(propertiesOf('AWS::ApiGateway::BasePathMapping')).toMatchObject({
      DomainName: { Ref: domainId },
      BasePath: 'v1',
      Stage: { Ref: theResource(template, 'AWS::ApiGateway::Stage')[0] },
    });
    expect(template.Outputs.BaseUrl?.Value).toEqual({ 'Fn::Join': ['', ['https://', { Ref: domainId }, '/v1']] });
    expect(template.Outputs.DomainTarget?.Value).toEqual({ 'Fn::GetAtt': [domainId, 'RegionalDomainName'] });
    expect(template.Outputs.DomainHostedZone?.Value).toEqual({ 'Fn::GetAtt': [domainId, 'RegionalHostedZoneId'] });
  });

  test('answers under its default endpoint if no domain is configured', () => {
    const [apiId, { Properties }] = theResource(templateWithoutDomain, 'AWS::ApiGateway::RestApi');
    expect(Properties.DisableExecuteApiEndpoint).toBe(false);
    expect(resourcesOf(templateWithoutDomain, 'AWS::ApiGateway::DomainName')).toEqual([]);
    expect(templateWithoutDomain.Outputs).not.toHaveProperty('DomainTarget');
    expect(templateWithoutDomain.Outputs).toMatchObject({
      BaseUrl: {
        Value: {
          'Fn::Join': [
            '',
            ['https://', { Ref: apiId }, `.execute-api.${config.region}.`, { Ref: 'AWS::URLSuffix' }, '/v1'],
          ],
        },
      },
    });
  });

  test('is throttled and measured as a whole, and logs no request or response', () => {
    expect(propertiesOf('AWS::ApiGateway::Stage')).toMatchObject({
      StageName: 'v1',
      MethodSettings: [
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          ThrottlingRateLimit: 200,
          ThrottlingBurstLimit: 400,
          MetricsEnabled: false,
          LoggingLevel: 'OFF',
          DataTraceEnabled: false,
        },
      ],
    });
  });

  test('logs each access as JSON without a header, a query, an id or a body', () => {
    const { AccessLogSetting } = propertiesOf('AWS::ApiGateway::Stage');
    const [logGroupId] = AccessLogSetting.DestinationArn['Fn::Join'][1].at(-1).Ref.match(/^AccessLog.*/);
    expect(template.Resources[logGroupId]?.Properties).toEqual({
      RetentionInDays: config.logRetentionDays,
      LogGroupClass: 'INFREQUENT_ACCESS',
    });
    expect(JSON.parse(AccessLogSetting.Format)).toEqual({
      requestId: '$context.extendedRequestId',
      sourceIp: '$context.identity.sourceIp',
      method: '$context.httpMethod',
      path: '$context.resourcePath',
      status: '$context.status',
      errorType: '$context.error.responseType',
      responseLatencyMs: '$context.responseLatency',
    });
  });

  test('can write that log in a new account: the stage depends on the account’s logging role', () => {
    const [accountId] = theResource(template, 'AWS::ApiGateway::Account');
    expect(theResource(template, 'AWS::ApiGateway::Stage')[1].DependsOn).toContain(accountId);
  });
});

describe('only the API is public', () => {
  test('all types of resources are known', () => {
    expect([...new Set(Object.values(template.Resources).map(({ Type }) => Type))].sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::ApiGateway::BasePathMapping',
      'AWS::ApiGateway::Deployment',
      'AWS::ApiGateway::DomainName',
      'AWS::ApiGateway::GatewayResponse',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Resource',
      'AWS::ApiGateway::RestApi',
      'AWS::ApiGateway::Stage',
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::CompositeAlarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::CloudWatch::InsightRule',
      'AWS::CodeDeploy::Application',
      'AWS::CodeDeploy::DeploymentGroup',
      'AWS::DynamoDB::GlobalTable',
      'AWS::Events::Archive',
      'AWS::Events::EventBus',
      'AWS::Events::EventBusPolicy',
      'AWS::Events::Rule',
      'AWS::IAM::ManagedPolicy',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
      'AWS::Lambda::Alias',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Version',
      'AWS::Logs::LogGroup',
      'AWS::Logs::QueryDefinition',
      'AWS::SNS::Subscription',
      'AWS::SNS::Topic',
      'AWS::SNS::TopicPolicy',
      'AWS::SQS::Queue',
      'AWS::SQS::QueuePolicy',
    ]);
  });

  test('roles trust services or operators, and no table or log has a policy for others', () => {
    const roles = resourcesOf(template, 'AWS::IAM::Role');
    const operators = /^Operators(reader|operator|privacy)[0-9A-F]{8}$/;
    expect(roles.filter(([id]) => operators.test(id))).toHaveLength(3);
    for (const [, { Properties }] of roles.filter(([id]) => !operators.test(id)))
      expect(Properties.AssumeRolePolicyDocument.Statement).toMatchObject([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: expect.stringMatching(/^(lambda|apigateway|codedeploy)\.amazonaws\.com$/) },
        },
      ]);
    const data = ['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup'].flatMap((type) => resourcesOf(template, type));
    expect(JSON.stringify(data)).not.toContain('ResourcePolicy');
  });
});

const propertiesOf = (type: string, from: Template = template): Resource['Properties'] =>
  theResource(from, type)[1].Properties;

describe('gateway responses', () => {
  /** All types of API Gateway that the CDK knows. */
  const responseTypes = Object.values(ResponseType)
    .filter((value): value is ResponseType => value instanceof ResponseType)
    .map(({ responseType }) => responseType);

  const requestId = 'ZuT4rGDNoAMFxXw=';
  let responses: Map<string, Resource['Properties']>;
  beforeAll(async () => {
    const template = await templateOfStage('local');
    responses = new Map(
      resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
        Properties.ResponseType,
        Properties,
      ]),
    );
  });

  test('every type of API Gateway’s own responses is one of the API’s problems', () => {
    expect([...responses.keys()].sort()).toEqual([...responseTypes].sort());
  });

  describe.each(responseTypes)('%s', (type) => {
    test('is a complete problem: status, headers and body match the table of problems', () => {
      const { StatusCode, ResponseParameters, ResponseTemplates } = responses.get(type) as Resource['Properties'];
      expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
      const body = JSON.parse(
        ResponseTemplates['application/json'].replaceAll('$context.extendedRequestId', requestId),
      );
      expect(body.requestId).toBe(requestId);
      expect(ResponseTemplates['application/json'].replaceAll('$context.extendedRequestId', '')).not.toContain('$');

      const problem: ProblemDefinition = problems[body.code as ProblemCode];
      expect(body).toMatchObject({ type: `urn:partner-api:problem:${body.code}`, title: problem.title });
      expect([body.status, StatusCode]).toEqual([problem.status, String(problem.status)]);
      expect(z.safeParse(z.looseObject({ detail: z.string(), ...problem.members }), body).error).toBeUndefined();
      expect(headersOf(ResponseParameters)).toEqual({
        ...commonHeaders(requestId),
        ...problem.headers,
        'Content-Type': 'application/problem+json',
      });
    });
  });

  test.each(responseTypes)('%s is not kept, only sent by HTTPS, and never taken for another type', (type) => {
    expect(headersOf(responses.get(type)?.ResponseParameters)).toMatchObject({
      'Cache-Control': 'no-store',
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  test.each([
    ['ACCESS_DENIED', 'source-address-not-allowed'],
    ['WAF_FILTERED', 'throttled'],
    ['MISSING_AUTHENTICATION_TOKEN', 'route-not-found'],
    ['INVALID_SIGNATURE', 'route-not-found'],
    ['THROTTLED', 'throttled'],
    ['REQUEST_TOO_LARGE', 'body-too-large'],
    ['DEFAULT_4XX', 'invalid-request'],
    ['INTEGRATION_TIMEOUT', 'service-unavailable'],
    ['DEFAULT_5XX', 'service-unavailable'],
  ])('a caller receives %s as %s', (type, code) => {
    expect(JSON.parse(responses.get(type)?.ResponseTemplates['application/json']).code).toBe(code);
  });

  /** Reads values as API Gateway does: a quoted value is static, the other is a variable of the request's context. */
  const headersOf = (parameters: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => {
        const header = name.replace(/^gatewayresponse\.header\./, '');
        const literal = /^'([^']*)'$/.exec(value)?.[1];
        if (literal === undefined) expect(value).toBe('context.extendedRequestId');
        return [header, literal ?? requestId];
      }),
    );
});
