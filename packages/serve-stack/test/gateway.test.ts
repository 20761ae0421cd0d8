import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Exchange, receive } from '../src/gateway/exchange.ts';
import { compileGatewayResponses, compileTemplate } from '../src/gateway/gateway-responses.ts';
import { readMethods } from '../src/gateway/rest-api.ts';
import { createRouter } from '../src/gateway/router.ts';
import { createStageThrottle } from '../src/gateway/stage-throttle.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import { stackOf } from './fixture.ts';

describe('address of the client', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2', '127.0.0.2'],
    ['127.0.0.2', '192.0.2.7', '192.0.2.7'],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.2', '127.0.0.2'],
    ['172.17.0.2', '172.17.0.1', '127.0.0.1'],
    ['192.0.2.2', '203.0.113.9', '127.0.0.1'],
  ])('at %s, a client from %s counts as one from %s', (localAddress, remoteAddress, expected) => {
    const incoming = { socket: { localAddress, remoteAddress }, rawHeaders: [] as string[], url: '/v1/contract' };
    expect(receive(incoming as IncomingMessage, '000000000000').sourceIp).toBe(expected);
  });
});

describe('router', () => {
  const route = createRouter(
    'root',
    [
      { id: 'keys', parentId: 'root', pathPart: 'api-keys' },
      { id: 'me', parentId: 'keys', pathPart: 'me' },
      { id: 'key', parentId: 'keys', pathPart: '{keyId}' },
      { id: 'rotation', parentId: 'key', pathPart: 'rotation' },
    ],
    [
      { resourceId: 'keys', httpMethod: 'GET', target: 'list' },
      { resourceId: 'me', httpMethod: 'GET', target: 'own' },
      { resourceId: 'key', httpMethod: 'DELETE', target: 'delete' },
      { resourceId: 'rotation', httpMethod: 'POST', target: 'rotate' },
    ],
  );

  const targetOf = (method: string, path: string) => {
    const match = route(method, path);
    return match && [match.target, match.pathParameters];
  };

  describe('a path finds its method in every equivalent spelling, and in no other', () => {
    test.each([
      ['GET', '/api-keys', ['list', {}]],
      ['GET', '/api-keys/', ['list', {}]],
      ['GET', '/%61pi-keys', ['list', {}]],
      ['GET', '/api-keys/me', ['own', {}]],
      ['DELETE', '/api-keys/k1', ['delete', { keyId: 'k1' }]],
      ['DELETE', '/api-keys/k%2F1', ['delete', { keyId: 'k/1' }]],
      ['DELETE', '/api-keys/%6B1', ['delete', { keyId: 'k1' }]],
      ['DELETE', '/api-keys/k1;x=1', ['delete', { keyId: 'k1;x=1' }]],
      ['DELETE', '/api-keys/..', ['delete', { keyId: '..' }]],
      ['POST', '/api-keys/k1/rotation', ['rotate', { keyId: 'k1' }]],
      ['GET', '/', undefined],
      ['GET', '/api-keys//', undefined],
      ['GET', '//api-keys', undefined],
      ['GET', '/API-keys', undefined],
      ['GET', '/api-keys;x=1', undefined],
      ['GET', '/api-keys/../api-keys', undefined],
      ['POST', '/api-keys//rotation', undefined],
      ['HEAD', '/api-keys', undefined],
      ['OPTIONS', '/api-keys', undefined],
      ['get', '/api-keys', undefined],
    ])('%s %s', (method, path, expected) => {
      expect(targetOf(method, path)).toEqual(expected);
    });

    test('a literal segment hides a parameter, even if only the parameter has the method', () => {
      expect(targetOf('DELETE', '/api-keys/me')).toBeUndefined();
      expect(targetOf('POST', '/api-keys/me/rotation')).toBeUndefined();
    });

    test('the matched path is the one in the template', () => {
      expect(route('DELETE', '/api-keys/k1/')).toMatchObject({ resourceId: 'key', resourcePath: '/api-keys/{keyId}' });
    });

    test.each(['/api-keys/%', '/api-keys/%zz', '/api-keys/%ff'])(
      'invalid percent-encoding is a client error: %s',
      (path) => {
        expect(() => route('DELETE', path)).toThrow(expect.objectContaining({ type: 'DEFAULT_4XX', status: 400 }));
      },
    );

    test.each(['a{b}', '{proxy+}'])('an unsupported kind of segment is an error: %s', (pathPart) => {
      expect(() => createRouter('root', [{ id: 'odd', parentId: 'root', pathPart }], [])).toThrow(pathPart);
    });
  });
});

describe('api methods', () => {
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

  /** Returns the compiled method of an API with one method, at its root or below. */
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
          AuthorizationType: 'NONE',
          HttpMethod: 'GET',
          Integration: toFunction,
          RestApiId: 'local',
          ResourceId: path ? { Ref: 'Path1' } : { 'Fn::GetAtt': ['Api1', 'RootResourceId'] },
          ...properties,
        },
      },
      Permission1: permission as never,
    });
    return readMethods(stack, createResolver(stack), 'prod').methods[0]?.target;
  };

  describe('a function is invoked only if it permits API Gateway to invoke it for the method', () => {
    test.each<[string, Given, boolean]>([
      ['the root', {}, true],
      ['another method', { permission: permissionFor('PUT/') }, false],
      ['all below the root', { path: '{id}', permission: permissionFor('GET/*') }, true],
      ['a function by its name instead of its ARN', { permission: permissionFor('GET/', 'f') }, true],
      ['another function', { permission: permissionFor('GET/', 'g') }, false],
    ])('%s', (_, given, isPermitted) => {
      expect(targetOf(given)).toEqual({ functionArn, isPermitted });
    });
  });

  describe('an unknown property of a method is an error that names it', () => {
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
});

describe('stage throttle', () => {
  const stageWide = { HttpMethod: '*', ResourcePath: '/*' };

  describe('the stage’s throttle', () => {
    test('admits the burst at once and then the rate, for each method separately', () => {
      const throttle = createStageThrottle([{ ...stageWide, ThrottlingBurstLimit: 3, ThrottlingRateLimit: 10 }]);
      const admitted = (method: string, nowMs: number) => {
        try {
          throttle(method, nowMs);
          return true;
        } catch (error) {
          expect(error).toMatchObject({ type: 'THROTTLED', status: 429 });
          return false;
        }
      };
      const atOnce = Array.from({ length: 5 }, () => admitted('GET /a', 1000));
      expect(atOnce).toEqual([true, true, true, false, false]);
      expect(admitted('GET /b', 1000)).toBe(true);
      expect([1099, 1100, 1150, 1200].map((nowMs) => admitted('GET /a', nowMs))).toEqual([false, true, false, true]);
    });

    test('an unknown setting is an error', () => {
      expect(() => createStageThrottle([{ ...stageWide, CachingEnabled: true } as never])).toThrow('CachingEnabled');
      expect(() => createStageThrottle([{ HttpMethod: 'GET', ResourcePath: '/~1a' }])).toThrow('GET /~1a');
    });
  });
});

describe('context variables', () => {
  describe('an unknown variable in a template is an error before anything is served', () => {
    test.each(['$context.authorizer.principalId', '$stageVariables.x', '$input.body', '$context.nowhere'])(
      '%s',
      (variable) => {
        expect(() => compileTemplate(`{"x":"${variable}"}`)).toThrow(variable);
      },
    );

    test.each([
      [{ ResponseParameters: { 'gatewayresponse.header.x': 'method.request.header.y' } }, 'method.request.header.y'],
      [{ ResponseParameters: { 'gatewayresponse.body.x': "'y'" } }, 'gatewayresponse.body.x'],
      [{ ResponseTemplates: { 'text/html': '' } }, 'text/html'],
    ])('%j', (properties, message) => {
      expect(() => compileGatewayResponses([{ ResponseType: 'DEFAULT_4XX', ...properties } as never])).toThrow(message);
    });
  });

  test('a template shows the TLS version and cipher of the connection, or a dash without TLS', () => {
    const fill = compileTemplate('$context.tlsVersion $context.cipherSuite');
    const filled = (tls?: Exchange['request']['tls']) => fill({ request: { tls } } as Exchange);
    expect(filled({ version: 'TLSv1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256' })).toBe(
      'TLSv1.3 TLS_AES_128_GCM_SHA256',
    );
    expect(filled()).toBe('- -');
  });
});
