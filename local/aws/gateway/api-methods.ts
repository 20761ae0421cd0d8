import { readFunctionPermissions } from '../iam/function-permissions.ts';
import { requireKnown } from '../require-known.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';
import { UserFacingError } from '../user-facing-error.ts';
import { methodArn } from './resource-policy.ts';
import type { Method, ResourceNode } from './routes.ts';

/** Where a method's requests go, and whether the function lets API Gateway invoke it for that method. */
export type Integration = { readonly functionArn: string; readonly isPermitted: boolean };

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
const knownIntegrationProperties = ['IntegrationHttpMethod', 'Type', 'Uri'];

/** The paths and methods of the template's API. */
export const readMethods = (template: Template, resolve: Resolve, stageName: string) => {
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
      const functionArn = integratedFunction(properties);
      const arn = methodArn(stageName, httpMethod, pathOf(resourceId, nodes));
      const isPermitted = isInvocationPermitted('apigateway.amazonaws.com', functionArn, arn);
      return { resourceId, httpMethod, target: { functionArn, isPermitted } };
    },
  );
  return { nodes, methods };
};

const integratedFunction = (properties: MethodProperties): string => {
  const { ApiKeyRequired = false, AuthorizationType, HttpMethod, Integration } = properties;
  requireKnown('property of a method’s integration', Object.keys(Integration), knownIntegrationProperties);
  const [, functionArn] = Integration.Uri.match(/\/functions\/(.+)\/invocations$/) ?? [];
  const isOpen = AuthorizationType === 'NONE' && !ApiKeyRequired;
  if (functionArn && Integration.Type === 'AWS_PROXY' && isOpen && HttpMethod !== 'ANY') return functionArn;
  throw new UserFacingError(
    'The local run knows methods of one verb with a Lambda proxy integration, no authorizer and no API Gateway key; ' +
      `one has ${JSON.stringify({ HttpMethod, AuthorizationType, ApiKeyRequired, Integration: Integration.Type })}.`,
  );
};

/** `/api-keys/*`: permissions are given by the path in which every parameter is a wildcard. */
const pathOf = (resourceId: string, nodes: readonly ResourceNode[]): string => {
  const node = nodes.find(({ id }) => id === resourceId);
  return node ? `${pathOf(node.parentId, nodes)}/${node.pathPart.replace(/^\{.*\}$/, '*')}` : '';
};
