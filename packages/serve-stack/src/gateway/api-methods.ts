import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { type IsInvocationPermitted, readFunctionPermissions } from '../iam/function-permissions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';
import { methodArn } from './resource-policy.ts';
import type { Method, ResourceNode } from './router.ts';

/** Tells which function a method's requests go to, and whether that permits the invocation. */
export type Integration = { readonly functionArn: string; readonly isPermitted: boolean };

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
  // These describe what API Gateway answers; of a proxy integration, the function decides that.
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

/** Gives `/api-keys/*`: permissions are given by the path in which every parameter is a wildcard. */
const pathOf = (resourceId: string, nodes: readonly ResourceNode[]): string => {
  const node = nodes.find(({ id }) => id === resourceId);
  return node ? `${pathOf(node.parentId, nodes)}/${node.pathPart.replace(/^\{.*\}$/, '*')}` : '';
};
