import { NestedStack } from 'aws-cdk-lib';
import { AwsIntegration, type Method, Resource, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { type Endpoint, methodsOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import type { ProblemCode } from '../../lambdas/api/problems.ts';
import { apiStage } from '../../lambdas/api/version.ts';
import type { AliasByOperation } from '../functions/endpoint-functions.ts';
import { addGatewayResponses } from './gateway-responses.ts';

export type MethodsProps = {
  readonly api: RestApi;
  /** The alias of each endpoint's function. */
  readonly aliases: AliasByOperation;
  /** The problem with which the stage answers a request that AWS WAF blocks. */
  readonly wafFiltered: ProblemCode;
};

/**
 * The paths, methods and gateway responses of the API, with its permissions to invoke the functions: everything that a
 * deployment of the API captures. They are a nested stack, because each endpoint adds three resources. The deployment itself is
 * in the parent stack, depends on this whole stack, and has a hash of the methods and responses in its logical id.
 */
export class Methods extends NestedStack {
  readonly #api: RestApi;

  constructor(scope: RestApi, id: string, { api, aliases, wafFiltered }: MethodsProps) {
    super(scope, id, { description: 'The paths, methods and gateway responses of the partner API of the stage.' });
    this.#api = api;
    addGatewayResponses(this, api, wafFiltered);
    for (const operationId of operationIds) this.#addEndpoint(endpoints[operationId], aliases[operationId]);
  }

  /** Adds an endpoint without an authorizer or an API Gateway key: the function decides who may call. */
  #addEndpoint(endpoint: Endpoint, alias: Alias): void {
    const integration = new AwsIntegration({
      service: 'lambda',
      path: `2015-03-31/functions/${alias.functionArn}/invocations`,
      proxy: true,
    });
    const resource = this.#resourceAt(endpoint.path);
    for (const method of methodsOf(endpoint))
      this.#permit(alias, resource.addMethod(method, integration, { apiKeyRequired: false }));
  }

  /** A child of the API's root would be created in the API's stack, so the first segment of a path is created here. */
  #resourceAt(path: string) {
    const [, first = '', rest = ''] = /^\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    const { root } = this.#api;
    const top = root.getResource(first) ?? new Resource(this, first, { parent: root, pathPart: first });
    return top.resourceForPath(rest);
  }

  /** The stage's name is a literal: the stage depends on the deployment, and the deployment depends on this permission. */
  #permit(alias: Alias, method: Method): void {
    const path = method.resource.path.replaceAll(/\{[^}]*\}/g, '*');
    alias.addPermission('Invocation', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      scope: method,
      sourceArn: this.#api.arnForExecuteApi(method.httpMethod, path, apiStage),
    });
  }
}
