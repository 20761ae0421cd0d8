import { describe, expect, test } from 'vitest';
import { readMethods } from '../../src/gateway/rest-api.ts';
import { createResolver } from '../../src/template/intrinsics.ts';
import { stackOf } from '../fixture.ts';

const functionArn = 'arn:aws:lambda:eu-central-1:000000000000:function:f';

const toFunction = {
  Type: 'AWS_PROXY',
  Uri: `arn:aws:apigateway:r:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
};

const permissionFor = (path: string, FunctionName = functionArn) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName,
    Principal: 'apigateway.amazonaws.com',
    SourceArn: `arn:aws:execute-api:eu-central-1:000000000000:local/prod/${path}`,
  },
});

type Given = { readonly path?: string; readonly permission?: object } & Readonly<Record<string, unknown>>;

/** What becomes of the method of an API that has one, at its root or below. */
const targetOf = ({ path, permission = permissionFor('GET/'), ...properties }: Given = {}) => {
  const stack = stackOf({
    Api1: { Type: 'AWS::ApiGateway::RestApi' },
    ...(path && {
      Path1: {
        Type: 'AWS::ApiGateway::Resource',
        Properties: { ParentId: 'root', PathPart: path, RestApiId: 'local' },
      },
    }),
    Method1: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        ...{ AuthorizationType: 'NONE', HttpMethod: 'GET', Integration: toFunction, RestApiId: 'local' },
        ResourceId: path ? { Ref: 'Path1' } : { 'Fn::GetAtt': ['Api1', 'RootResourceId'] },
        ...properties,
      },
    },
    Permission1: permission as never,
  });
  return readMethods(stack, createResolver(stack), 'prod').methods[0]?.target;
};

describe('a function is asked only if it lets API Gateway ask it for that method', () => {
  test.each<[string, Given, boolean]>([
    ['the root', {}, true],
    ['another method', { permission: permissionFor('PUT/') }, false],
    ['all below the root', { path: '{id}', permission: permissionFor('GET/*') }, true],
    ['a function that is named, not by its ARN', { permission: permissionFor('GET/', 'f') }, true],
    ['another function', { permission: permissionFor('GET/', 'g') }, false],
  ])('%s', (_, given, isPermitted) => {
    expect(targetOf(given)).toEqual({ functionArn, isPermitted });
  });
});

describe('what the local run does not know of a method is an error that names it', () => {
  test.each<[string, Given, string]>([
    ['an authorizer', { AuthorizationType: 'AWS_IAM' }, 'authorization of Method1: AWS_IAM'],
    ['a key of API Gateway', { ApiKeyRequired: true }, 'own keys: Method1'],
    ['a validator', { RequestValidatorId: 'v' }, 'Method1 (AWS::ApiGateway::Method): RequestValidatorId'],
    ['another integration', { Integration: { Type: 'HTTP_PROXY', Uri: 'http://x' } }, 'Method1: HTTP_PROXY'],
    ['another service', { Integration: { Type: 'AWS_PROXY', Uri: 'arn:aws:sqs' } }, 'Method1 has arn:aws:sqs'],
    ['a time-out', { Integration: { ...toFunction, TimeoutInMillis: 1 } }, 'integration of Method1: TimeoutInMillis'],
    ['a mock', { Integration: { Type: 'MOCK' } }, 'integration of Method1: MOCK'],
    ['any method', { HttpMethod: 'ANY' }, 'the method ANY, which Method1 has'],
  ])('%s', (_, given, message) => {
    expect(() => targetOf(given)).toThrow(message);
  });
});
