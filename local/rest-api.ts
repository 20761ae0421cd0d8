import { compileTemplate } from './context-variables.ts';
import type { ApiRequest, Exchange } from './exchange.ts';
import { ExplainedError } from './explained-error.ts';
import { compileGatewayResponses, type GatewayResponseProperties } from './gateway-responses.ts';
import type { PolicyDocument } from './iam-policy.ts';
import { wildcardPattern } from './iam-policy.ts';
import type { Resolve } from './intrinsics.ts';
import { requireKnown } from './known.ts';
import { rootResourceId } from './resource-attributes.ts';
import { compileResourcePolicy, methodArn } from './resource-policy.ts';
import { createRouter, type Method, type ResourceNode, type Router } from './routes.ts';
import { createStageThrottle, type MethodSetting, type StageThrottle } from './stage-throttle.ts';
import { resourcesOf, type Template } from './template.ts';

/** Where a method's requests go, and whether the function lets API Gateway invoke it for that method. */
export type Integration = { readonly functionArn: string; readonly isPermitted: boolean };

/** The template's API, ready to be asked. */
export type RestApi = {
  readonly stageName: string;
  readonly checkPolicy: (request: ApiRequest) => void;
  readonly route: Router<Integration>;
  readonly throttle: StageThrottle;
  readonly gatewayResponse: ReturnType<typeof compileGatewayResponses>;
  readonly accessLogLine: (exchange: Exchange) => string;
};

export const compileRestApi = (template: Template, resolve: Resolve): RestApi => {
  const propertiesOf = <Properties>(type: string, known: readonly string[]) =>
    resourcesOf(template, type).map(({ logicalId, Properties = {} }) => {
      requireKnown(`property of ${logicalId} (${type}):`, Object.keys(Properties), known);
      return { ...resolve<Properties>(Properties), logicalId };
    });

  const api = onlyOne(propertiesOf<ApiProperties>('AWS::ApiGateway::RestApi', knownApiProperties));
  const stage = onlyOne(propertiesOf<StageProperties>('AWS::ApiGateway::Stage', knownStageProperties));
  const resources = propertiesOf<ResourceProperties>('AWS::ApiGateway::Resource', [
    'ParentId',
    'PathPart',
    'RestApiId',
  ]);
  const permissions = propertiesOf<PermissionProperties>('AWS::Lambda::Permission', knownPermissionProperties);

  const nodes = resources.map(
    ({ logicalId, ParentId, PathPart }): ResourceNode => ({
      id: resolve({ Ref: logicalId }),
      parentId: ParentId,
      pathPart: PathPart,
    }),
  );
  const methods = propertiesOf<MethodProperties>('AWS::ApiGateway::Method', knownMethodProperties).map(
    (properties): Method<Integration> => {
      const functionArn = integratedFunction(properties);
      const arn = methodArn(stage.StageName, properties.HttpMethod, pathOf(properties.ResourceId, nodes));
      const isPermitted = permissions.some((permission) => permits(permission, functionArn, arn));
      return {
        resourceId: properties.ResourceId,
        httpMethod: properties.HttpMethod,
        target: { functionArn, isPermitted },
      };
    },
  );
  return {
    stageName: stage.StageName,
    checkPolicy: compileResourcePolicy(api.Policy),
    route: createRouter(rootResourceId, nodes, methods),
    throttle: createStageThrottle(stage.MethodSettings),
    gatewayResponse: compileGatewayResponses(
      resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(({ Properties }) =>
        resolve<GatewayResponseProperties>(Properties),
      ),
    ),
    accessLogLine: compileTemplate(stage.AccessLogSetting?.Format ?? ''),
  };
};

type ApiProperties = { readonly Policy?: PolicyDocument };
/** Beside the policy: where and under which TLS policy the API is reached, which on this machine follows from `--port`. */
const knownApiProperties = [
  ...['DisableExecuteApiEndpoint', 'EndpointAccessMode', 'EndpointConfiguration', 'SecurityPolicy'],
  ...['Description', 'Name', 'Policy', 'Tags'],
];

type StageProperties = {
  readonly StageName: string;
  readonly MethodSettings?: readonly MethodSetting[];
  readonly AccessLogSetting?: { readonly Format: string };
};
const knownStageProperties = [
  ...['AccessLogSetting', 'DeploymentId', 'Description', 'MethodSettings', 'RestApiId', 'StageName', 'Tags'],
];

type ResourceProperties = { readonly ParentId: string; readonly PathPart: string };

type MethodProperties = {
  readonly ApiKeyRequired?: boolean;
  readonly AuthorizationType: string;
  readonly HttpMethod: string;
  readonly Integration: { readonly Type: string; readonly Uri: string };
  readonly ResourceId: string;
};
const knownMethodProperties = [
  ...['ApiKeyRequired', 'AuthorizationType', 'HttpMethod', 'Integration', 'OperationName', 'ResourceId', 'RestApiId'],
];

type PermissionProperties = {
  readonly Action: string;
  readonly FunctionName: string;
  readonly Principal: string;
  readonly SourceArn: string;
};
const knownPermissionProperties = ['Action', 'FunctionName', 'Principal', 'SourceArn'];

const onlyOne = <T>([first, ...others]: readonly T[]): T => {
  if (first && others.length === 0) return first;
  throw new ExplainedError('A local run serves a template with exactly one REST API and one stage of it.');
};

const integratedFunction = ({
  ApiKeyRequired,
  AuthorizationType,
  HttpMethod,
  Integration,
}: MethodProperties): string => {
  const [, functionArn] = Integration.Uri.match(/\/functions\/(.+)\/invocations$/) ?? [];
  if (
    functionArn &&
    Integration.Type === 'AWS_PROXY' &&
    AuthorizationType === 'NONE' &&
    !ApiKeyRequired &&
    HttpMethod !== 'ANY'
  )
    return functionArn;
  throw new ExplainedError(
    'The local run knows methods of one verb with a Lambda proxy integration, no authorizer and no API Gateway key; ' +
      `one has ${JSON.stringify({ HttpMethod, AuthorizationType, ApiKeyRequired, Type: Integration.Type })}.`,
  );
};

/** `/api-keys/*`: permissions are given by the path in which every parameter is a wildcard. */
const pathOf = (resourceId: string, nodes: readonly ResourceNode[]): string => {
  const node = nodes.find(({ id }) => id === resourceId);
  return node ? `${pathOf(node.parentId, nodes)}/${node.pathPart.replace(/^\{.*\}$/, '*')}` : '';
};

const permits = (
  { Action, FunctionName, Principal, SourceArn }: PermissionProperties,
  functionArn: string,
  arn: string,
) =>
  Action === 'lambda:InvokeFunction' &&
  Principal === 'apigateway.amazonaws.com' &&
  FunctionName === functionArn &&
  wildcardPattern(SourceArn).test(arn);
