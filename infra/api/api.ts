import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { compileAllowlist } from '../../config/allowlist.ts';
import type { StageConfig } from '../../config/schema.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { apiStage } from '../../lambdas/api/version.ts';
import { accessLogFormat } from './access-log.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { resourcePolicy } from './resource-policy.ts';

/** TLS 1.2 or newer with forward secrecy only; what API Gateway takes by itself begins at TLS 1.0. */
export const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** The REST API, open to the registered addresses only. Its methods are added one by one. */
export class Api extends RestApi {
  readonly accessLog: ILogGroup;

  constructor(scope: Construct, id: string, { name, config }: { name: string; config: StageConfig }) {
    const accessLog = new LogGroup(scope, 'AccessLog', { retention: config.logRetentionDays });
    super(scope, id, {
      restApiName: name,
      endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.DUAL_STACK },
      disableExecuteApiEndpoint: config.domain !== undefined,
      policy: resourcePolicy(compileAllowlist(config.companies)),
      // The account's own setting, one for all APIs of a region: without it API Gateway refuses to write access logs. It
      // stays when the stack goes, for the others.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: apiStage,
        throttlingRateLimit: config.throttle.requestsPerSecond,
        throttlingBurstLimit: config.throttle.burst,
        metricsEnabled: true,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        // Execution logs hold headers, and so API keys.
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
      },
    });
    this.accessLog = accessLog;
    // The construct's own output shows the default endpoint even where that is switched off.
    this.node.tryRemoveChild('Endpoint');
    const resource = this.node.defaultChild as CfnRestApi;
    resource.securityPolicy = tls.securityPolicy;
    resource.endpointAccessMode = tls.endpointAccessMode;
    addGatewayResponses(this);
  }

  /** Who may call is the function's decision: here is no authorizer and no API Gateway key, which could only answer first. */
  addEndpoint({ method, path }: Endpoint, handler: IFunction): void {
    this.root
      .resourceForPath(path)
      .addMethod(method, new LambdaIntegration(handler, { allowTestInvoke: false }), { apiKeyRequired: false });
  }
}
