import { requireKnown, UserFacingError } from '../errors.ts';
import { type IsInvocationPermitted, readFunctionPermissions } from '../iam/access.ts';
import { compilePolicies, type PolicyDocument } from '../iam/policies.ts';
import type { IsInIpSet } from '../services/ip-set-service.ts';
import { apiId, type Resolve, rootResourceId } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import { arnOf, type Environment, resourcesOf, type Stack } from '../template/stack.ts';
import { type ApiRequest, type Exchange, GatewayError } from './exchange.ts';
import { compileGatewayResponses, compileTemplate, type GatewayResponseProperties } from './gateway-responses.ts';
import { createRouter, type Method, type ResourceNode, type Router } from './router.ts';
import { createStageThrottle, type MethodSetting, type StageThrottle } from './stage-throttle.ts';
import { compileWebAcl, type InspectRequest } from './web-acl.ts';

/** The template's compiled API. */
export type RestApi = {
  readonly name: string;
  readonly accountId: string;
  readonly stageName: string;
  /** Whether CloudWatch receives metrics of each method, in addition to those of the stage. */
  readonly hasMethodMetrics: boolean;
  readonly accessLogGroup: string | undefined;
  /** The policy of the template. */
  readonly policy: PolicyDocument | undefined;
  readonly inspect: InspectRequest;
  readonly checkPolicy: (request: ApiRequest) => void;
  readonly route: Router<Integration>;
  readonly throttle: StageThrottle;
  readonly gatewayResponse: ReturnType<typeof compileGatewayResponses>;
  /** Returns the line of the access log; an empty one if the stage has no access log. */
  readonly accessLogLine: (exchange: Exchange) => string;
};

type ApiProperties = {
  readonly EndpointConfiguration?: { readonly Types?: readonly string[] };
  readonly Name?: string;
  readonly Policy?: PolicyDocument;
};

/** Most of these determine the address and the TLS policy of the API, which on this machine follow from the port. */
const knownApiProperties = [
  ...['DisableExecuteApiEndpoint', 'EndpointAccessMode', 'EndpointConfiguration', 'SecurityPolicy'],
  ...['Description', 'Name', 'Policy', 'Tags'],
];

type StageProperties = {
  readonly StageName: string;
  readonly MethodSettings?: readonly MethodSetting[];
  readonly AccessLogSetting?: { readonly DestinationArn?: string; readonly Format: string };
};

const knownStageProperties = [
  ...['AccessLogSetting', 'DeploymentId', 'Description', 'MethodSettings', 'RestApiId', 'StageName', 'Tags'],
];

export const compileRestApi = (stack: Stack, resolve: Resolve, isInIpSet: IsInIpSet): RestApi => {
  const { template, environment } = stack;
  const {
    EndpointConfiguration = {},
    Name = '',
    Policy,
  } = onlyOne(readResources<ApiProperties>(template, resolve, 'AWS::ApiGateway::RestApi', knownApiProperties));
  const { StageName, MethodSettings, AccessLogSetting } = onlyOne(
    readResources<StageProperties>(template, resolve, 'AWS::ApiGateway::Stage', knownStageProperties),
  );
  requireKnown('endpoint setting', Object.keys(EndpointConfiguration), ['IpAddressType', 'Types']);
  requireKnown('type of endpoint', EndpointConfiguration.Types ?? [], ['EDGE', 'REGIONAL']);
  requireKnown('access log setting', Object.keys(AccessLogSetting ?? {}), ['DestinationArn', 'Format']);
  const gatewayResponses = resourcesOf(template, 'AWS::ApiGateway::GatewayResponse');
  const { nodes, methods } = readMethods(stack, resolve, StageName);
  return {
    name: Name,
    accountId: environment.accountId,
    stageName: StageName,
    hasMethodMetrics: MethodSettings?.[0]?.MetricsEnabled ?? false,
    accessLogGroup: AccessLogSetting?.DestinationArn?.match(/:log-group:([^:]+)/)?.[1],
    policy: Policy,
    inspect: compileWebAcl(stack, resolve, { stageName: StageName, isInIpSet }),
    checkPolicy: compileResourcePolicy(environment, Policy),
    route: createRouter(rootResourceId, nodes, methods),
    throttle: createStageThrottle(MethodSettings),
    gatewayResponse: compileGatewayResponses(
      gatewayResponses.map(({ Properties }) => resolve<GatewayResponseProperties>(Properties)),
    ),
    accessLogLine: compileTemplate(AccessLogSetting?.Format ?? ''),
  };
};

const onlyOne = <T>([first, ...others]: readonly T[]): T => {
  if (first && others.length === 0) return first;
  throw new UserFacingError('A local run serves a template with exactly one REST API and one stage of it.');
};

/** The function of a method, and whether the function permits the invocation. */
type Integration = { readonly functionArn: string; readonly isPermitted: boolean };

type ResourceProperties = { readonly ParentId: string; readonly PathPart: string };

type FunctionIntegration = { readonly Type: string; readonly Uri?: string };

type MethodProperties = {
  readonly ApiKeyRequired?: boolean;
  readonly AuthorizationType: string;
  readonly HttpMethod: string;
  readonly Integration: FunctionIntegration;
  readonly ResourceId: string;
};

const knownMethodProperties = [
  ...['ApiKeyRequired', 'AuthorizationType', 'HttpMethod', 'Integration', 'OperationName', 'ResourceId', 'RestApiId'],
  // These describe API Gateway's responses, which the function determines in a proxy integration.
  'MethodResponses',
];

/** Reads the paths and methods of the template's API. */
export const readMethods = ({ template, environment }: Stack, resolve: Resolve, stageName: string) => {
  const read = <Properties>(type: string, known: readonly string[]) =>
    readResources<Properties>(template, resolve, type, known);

  const nodes = read<ResourceProperties>('AWS::ApiGateway::Resource', ['ParentId', 'PathPart', 'RestApiId']).map(
    ({ logicalId, ParentId, PathPart }): ResourceNode => ({
      id: resolve({ Ref: logicalId }),
      parentId: ParentId,
      pathPart: PathPart,
    }),
  );
  const isInvocationPermitted = readFunctionPermissions(template, resolve);
  const methods = read<MethodProperties>('AWS::ApiGateway::Method', knownMethodProperties).map(
    (properties): Method<Integration> => {
      const { ResourceId: resourceId, HttpMethod: httpMethod } = properties;
      const arn = methodArn(environment, stageName, httpMethod, pathOf(resourceId, nodes) || '/');
      return { resourceId, httpMethod, target: integrationOf(properties, arn, isInvocationPermitted) };
    },
  );
  return { nodes, methods };
};

const integrationOf = (
  {
    logicalId,
    ApiKeyRequired = false,
    AuthorizationType,
    HttpMethod,
    Integration,
  }: MethodProperties & { logicalId: string },
  arn: string,
  isInvocationPermitted: IsInvocationPermitted,
): Integration => {
  if (HttpMethod === 'ANY')
    throw new UserFacingError(`The local run does not know the method ANY, which ${logicalId} has.`);
  requireKnown(`authorization of ${logicalId}:`, [AuthorizationType], ['NONE']);
  if (ApiKeyRequired)
    throw new UserFacingError(`The local run does not know API Gateway's own keys: ${logicalId} asks for one.`);
  requireKnown(`type of the integration of ${logicalId}:`, [Integration.Type], ['AWS_PROXY']);
  const functionArn = integratedFunction(logicalId, Integration);
  const isPermitted = isInvocationPermitted('apigateway.amazonaws.com', functionArn, arn);
  return { functionArn, isPermitted };
};

const integratedFunction = (logicalId: string, integration: FunctionIntegration): string => {
  requireKnown(`property of the integration of ${logicalId}:`, Object.keys(integration), [
    ...['IntegrationHttpMethod', 'Type', 'Uri'],
  ]);
  const [, functionArn] = integration.Uri?.match(/\/functions\/(.+)\/invocations$/) ?? [];
  if (functionArn) return functionArn;
  throw new UserFacingError(
    `The local run knows proxy integrations of functions; ${logicalId} has ${integration.Uri}.`,
  );
};

/** Returns a path such as `/api-keys/*`: permissions use the path with a wildcard for each parameter. */
const pathOf = (resourceId: string, nodes: readonly ResourceNode[]): string => {
  const node = nodes.find(({ id }) => id === resourceId);
  return node ? `${pathOf(node.parentId, nodes)}/${node.pathPart.replace(/^\{.*\}$/, '*')}` : '';
};

/** Returns the ARN of a request's method, as in policies and permissions. */
const methodArn = (environment: Environment, stage: string, httpMethod: string, path: string): string =>
  arnOf(environment, 'execute-api', `${apiId}/${stage}/${httpMethod}${path}`);

/**
 * Returns a check that throws if the API's resource policy does not allow a request. Without a policy, all requests are
 * allowed.
 */
const compileResourcePolicy = (
  environment: Environment,
  policy: PolicyDocument | undefined,
): ((request: ApiRequest) => void) => {
  if (!policy) return () => undefined;
  const { accountId } = environment;
  const decide = compilePolicies([withFullArns(environment, policy)]);
  return ({ stage, httpMethod, path, sourceIp }) => {
    const resource = methodArn(environment, stage, httpMethod, path);
    const decision = decide({ action: 'execute-api:Invoke', resource, sourceIp, secureTransport: true });
    if (decision === 'allow') return;
    const maskedResource = resource.replace(accountId, accountId.replace(/.(?=.{4})/g, '*'));
    const cause = decision === 'explicit deny' ? ' with an explicit deny' : '';
    throw new GatewayError('ACCESS_DENIED', {
      message: `User: anonymous is not authorized to perform: execute-api:Invoke on resource: ${maskedResource}${cause}`,
    });
  };
};

/** Writes out the ARNs: API Gateway reads `execute-api:/*` as everything of the API that the policy is attached to. */
const withFullArns = (environment: Environment, policy: PolicyDocument): PolicyDocument => ({
  ...policy,
  Statement: [policy.Statement].flat().map((statement) => ({
    ...statement,
    Resource: [statement.Resource]
      .flat()
      .map((arn) => arn.replace(/^execute-api:\//, arnOf(environment, 'execute-api', `${apiId}/`))),
  })),
});
