import { Duration } from 'aws-cdk-lib';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Bundles } from './bundle.ts';
import { type QueueByName, queueAccess } from './queue-access.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

export type FunctionByOperation = Readonly<Record<OperationId, IFunction>>;

/** Leads requests to a version of the function; each change of its code or configuration publishes another one. */
export type AliasByOperation = Readonly<Record<OperationId, Alias>>;

export type EndpointFunctionsProps = SharedProps & { readonly bundles: Bundles; readonly queues: QueueByName };

const defaultTimeoutSeconds = 5;

/** The function of each endpoint, which may do and is told what its row and its chain require. */
export class EndpointFunctions extends Construct {
  readonly functions: FunctionByOperation;
  readonly aliases: AliasByOperation;

  constructor(scope: Construct, id: string, { bundles, queues, ...shared }: EndpointFunctionsProps) {
    super(scope, id);
    const handlers = (Object.entries(endpoints) as [OperationId, Endpoint][]).map(([operationId, endpoint]) => {
      const { queueActions = {}, timeoutSeconds = defaultTimeoutSeconds } = endpoint;
      const handler = new ServiceFunction(this, operationId, {
        ...shared,
        summary: endpoint.summary,
        requirements: requirementsOf(endpoint),
        bundle: bundles[operationId],
        timeout: Duration.seconds(timeoutSeconds),
        ...queueAccess(queues, queueActions),
      });
      return [operationId, handler] as const;
    });
    const functions = handlers.map(([operationId, handler]) => [operationId, handler.function]);
    const aliases = handlers.map(([operationId, handler]) => [operationId, liveAlias(handler)]);
    this.functions = Object.fromEntries(functions);
    this.aliases = Object.fromEntries(aliases);
  }
}

/**
 * A version that nothing uses any more is deleted at the end of a deployment, when nothing can be put back to it: a kept
 * one would stay behind for ever, and a roll-back of code publishes its own.
 */
const liveAlias = (handler: ServiceFunction): Alias =>
  new Alias(handler, 'Live', { aliasName: 'live', version: handler.function.currentVersion as IVersion });
