import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointType,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { compileAllowlist } from '../../config/allowlist.ts';
import type { StageConfig } from '../../config/schema.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { apiStage } from '../../lambdas/api/version.ts';
import type { AliasByOperation } from '../functions/endpoint-functions.ts';
import { accessLogFormat } from './access-log.ts';
import { addDomain } from './domain.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { resourcePolicy } from './resource-policy.ts';
import { tls } from './tls.ts';

export type ApiProps = {
  readonly config: StageConfig;
  /** The alias of each endpoint's function. */
  readonly aliases: AliasByOperation;
  readonly accessLog: ILogGroup;
};

/** The REST API with its methods, open to the registered addresses only; under a domain of its own if the stage has one. */
export class Api extends RestApi {
  readonly baseUrl: string;
  /** The address of the default endpoint. */
  readonly defaultUrl: string;

  constructor(scope: Construct, id: string, { config, aliases, accessLog }: ApiProps) {
    super(scope, id, {
      restApiName: Stack.of(scope).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.DUAL_STACK },
      disableExecuteApiEndpoint: config.domain?.disableDefaultEndpoint ?? false,
      policy: resourcePolicy(compileAllowlist(config.companies), config.resourcePolicyQuota),
      // The account's own setting, one for all APIs of a region: without it API Gateway refuses to write access logs. It
      // stays when the stack goes, for the others.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: apiStage,
        throttlingRateLimit: config.throttle.requestsPerSecond,
        throttlingBurstLimit: config.throttle.burst,
        // Metrics of each method are paid, and nothing reads them; those of the stage are free and always there.
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        // Execution logs hold headers, and so API keys.
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
      },
    });
    // The construct's own output shows the default endpoint even where that is switched off.
    this.node.tryRemoveChild('Endpoint');
    const resource = this.node.defaultChild as CfnRestApi;
    resource.securityPolicy = tls.securityPolicy;
    resource.endpointAccessMode = tls.endpointAccessMode;
    addGatewayResponses(this);
    for (const operationId of operationIds)
      this.#addEndpoint(endpoints[operationId], aliases[operationId] as IFunction);
    const domain = config.domain && addDomain(this, config.domain);
    this.defaultUrl = `https://${this.#defaultHost}/${apiStage}`;
    this.baseUrl = domain ? `https://${domain.domainName}/${apiStage}` : this.defaultUrl;
  }

  /** Adds an endpoint without an authorizer or an API Gateway key: who may call is the function's decision. */
  #addEndpoint({ method, path }: Endpoint, handler: IFunction): void {
    this.root
      .resourceForPath(path)
      .addMethod(method, new LambdaIntegration(handler, { allowTestInvoke: false }), { apiKeyRequired: false });
  }

  get #defaultHost(): string {
    const { region, urlSuffix } = this.stack;
    return `${this.restApiId}.execute-api.${region}.${urlSuffix}`;
  }
}
