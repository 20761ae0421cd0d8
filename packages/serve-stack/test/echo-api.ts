import type { Resource } from '../src/template/stack.ts';
import { stackWithFunction } from './fixture.ts';

const ref = (name: string) => ({ Ref: name });
const functionArn = { 'Fn::GetAtt': ['Function1', 'Arn'] };

const resource = (PathPart: string, parent?: string): Resource => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: {
    PathPart,
    ParentId: parent ? ref(parent) : { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
    RestApiId: ref('Api'),
  },
});

const method = (HttpMethod: string, resourceId: string): Resource => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    HttpMethod,
    AuthorizationType: 'NONE',
    ResourceId: ref(resourceId),
    RestApiId: ref('Api'),
    Integration: {
      Type: 'AWS_PROXY',
      Uri: {
        'Fn::Join': ['', ['arn:aws:apigateway:r:lambda:path/2015-03-31/functions/', functionArn, '/invocations']],
      },
    },
  },
});

const permission = (method: string): Resource => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName: functionArn,
    Principal: 'apigateway.amazonaws.com',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of Fn::Sub.
    SourceArn: { 'Fn::Sub': ['arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/v1/${method}', { method }] },
  },
});

const gatewayResponse = (ResponseType: string, StatusCode?: string): Resource => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: {
    ResponseType,
    ...(StatusCode && { StatusCode }),
    RestApiId: ref('Api'),
    ResponseParameters: {
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.x-request-id': 'context.requestId',
    },
    ResponseTemplates: { 'application/json': `{"template":"${ResponseType}","requestId":"$context.requestId"}` },
  },
});

/** Answers with its event, or as the event's `?do=` says. */
const echo = `export const handler = async (event) => {
  switch (event.queryStringParameters?.do) {
    case 'throw': throw new Error('broken');
    case 'exit': process.exit(1);
    case 'hang': return new Promise(() => {});
    case 'nothing': return undefined;
    case 'unknown-member': return { statusCode: 200, message: 'x' };
    case 'object-body': return { body: {} };
    case 'number-header': return { headers: { age: 1 } };
    case 'broken-header': return { headers: { location: 'caf\\u0142' } };
    case 'bare': return { body: '{}' };
    case 'length': return { body: String(event.body.length) };
    case 'challenge': return { statusCode: 401, headers: { 'WWW-Authenticate': 'ApiKey realm="r"', Server: 's' } };
    case 'answer': return { statusCode: 201, body: 'made', headers: { 'content-type': 'text/plain', 'X-Flag': true, 'set-cookie': 'b=2' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } };
    default: return { body: JSON.stringify(event) };
  }
};`;

/** An API with one function, for the addresses 127.0.0.1 and 127.0.0.2. */
export const echoApi = stackWithFunction(echo, {
  resources: {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Policy: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: { AWS: '*' },
              Action: 'execute-api:Invoke',
              Resource: 'execute-api:/*',
              Condition: { IpAddress: { 'aws:SourceIp': ['127.0.0.1/32', '127.0.0.2/32'] } },
            },
          ],
        },
      },
    },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: {
        StageName: 'v1',
        RestApiId: ref('Api'),
        AccessLogSetting: {
          Format:
            '$context.requestId $context.identity.sourceIp $context.httpMethod $context.resourcePath $context.status $context.error.responseType',
        },
      },
    },
    Things: resource('things'),
    Thing: resource('{id}', 'Things'),
    Unpermitted: resource('unpermitted'),
    ListThings: method('GET', 'Things'),
    CreateThing: method('POST', 'Things'),
    ReadThing: method('GET', 'Thing'),
    ReadUnpermitted: method('GET', 'Unpermitted'),
    MayList: permission('GET/things'),
    MayCreate: permission('POST/things'),
    MayRead: permission('GET/things/*'),
    NotFound: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', '404'),
    Denied: gatewayResponse('ACCESS_DENIED'),
    TooLarge: gatewayResponse('REQUEST_TOO_LARGE'),
    ClientError: gatewayResponse('DEFAULT_4XX'),
    ServerError: gatewayResponse('DEFAULT_5XX'),
  },
});
