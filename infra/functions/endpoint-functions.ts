import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { requirementsOf } from '../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Bundles } from './bundle.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

export type FunctionByOperation = Readonly<Record<OperationId, IFunction>>;

/** The function of each endpoint, which may do and is told what its row and its chain require. */
export class EndpointFunctions extends Construct {
  readonly functions: FunctionByOperation;

  constructor(scope: Construct, id: string, { bundles, ...shared }: SharedProps & { readonly bundles: Bundles }) {
    super(scope, id);
    const functions = (Object.entries(endpoints) as [OperationId, Endpoint][]).map(([operationId, endpoint]) => {
      const handler = new ServiceFunction(this, operationId, {
        ...shared,
        summary: endpoint.summary,
        requirements: requirementsOf(endpoint),
        bundle: bundles[operationId],
        timeout: Duration.seconds(5),
      });
      return [operationId, handler.function];
    });
    this.functions = Object.fromEntries(functions);
  }
}
