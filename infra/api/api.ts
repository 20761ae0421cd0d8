import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  type CfnDomainName,
  type CfnRestApi,
  type DomainName,
  EndpointAccessMode,
  EndpointType,
  IpAddressType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../config/schema.ts';
import type { accessFieldNames } from '../../lambdas/api/log-events/request-event.ts';
import { apiStage } from '../../lambdas/api/version.ts';
import type { AliasByOperation } from '../functions/endpoint-functions.ts';
import { policyOf, problemOfWebAcl } from './admission.ts';
import { Methods } from './methods.ts';

export type ApiProps = {
  readonly config: StageConfig;
  /** The alias of each endpoint's function. */
  readonly aliases: AliasByOperation;
  readonly accessLog: ILogGroup;
};

/** The REST API with its methods, open to registered addresses only, with a custom domain if the stage has one. */
export class Api extends RestApi {
  readonly baseUrl: string;
  /** The URL of the default endpoint. */
  readonly defaultUrl: string;

  constructor(scope: Construct, id: string, { config, aliases, accessLog }: ApiProps) {
    super(scope, id, {
      restApiName: Stack.of(scope).stackName,
      endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.DUAL_STACK },
      disableExecuteApiEndpoint: config.domain?.disableDefaultEndpoint ?? false,
      policy: policyOf(config),
      // A setting of the account, for all APIs of a region. Without it API Gateway refuses to write access logs. The role is
      // kept when the stack is deleted, since other APIs use it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: apiStage,
        throttlingRateLimit: config.throttle.requestsPerSecond,
        throttlingBurstLimit: config.throttle.burst,
        // Metrics of each method cost extra, and nothing reads them. Metrics of the stage are free and always recorded.
        metricsEnabled: false,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        // Execution logs contain headers, and so API keys.
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
      },
    });
    // The construct's own output shows the default endpoint even if it is disabled.
    this.node.tryRemoveChild('Endpoint');
    const resource = this.node.defaultChild as CfnRestApi;
    resource.securityPolicy = tls.securityPolicy;
    resource.endpointAccessMode = tls.endpointAccessMode;
    new Methods(this, 'Methods', { api: this, aliases, wafFiltered: problemOfWebAcl(config) });
    const domain = config.domain && addDomain(this, config.domain);
    this.defaultUrl = `https://${this.#defaultHost}/${apiStage}`;
    this.baseUrl = domain ? `https://${domain.domainName}/${apiStage}` : this.defaultUrl;
  }

  get #defaultHost(): string {
    const { region, urlSuffix } = this.stack;
    return `${this.restApiId}.execute-api.${region}.${urlSuffix}`;
  }
}

/** Adds a custom domain to the API. The operator's DNS record has to point to its `domainNameAliasDomainName`. */
const addDomain = (api: RestApi, { name, certificateArn }: NonNullable<StageConfig['domain']>): DomainName => {
  const domain = api.addDomainName('Domain', {
    ...tls,
    domainName: name,
    certificate: Certificate.fromCertificateArn(api, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    basePath: apiStage,
  });
  // A domain defaults to IPv4 only, whatever its API supports.
  (domain.node.defaultChild as CfnDomainName).addPropertyOverride(
    'EndpointConfiguration.IpAddressType',
    IpAddressType.DUAL_STACK,
  );
  return domain;
};

/** TLS 1.2 or newer with forward secrecy only; API Gateway's default accepts TLS 1.0. */
const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/**
 * One JSON line per request, including requests that never reach a function. It contains nothing secret: no header, no query,
 * and only the template of the path. Each byte has a price, so the time is left out, which CloudWatch stores with each line.
 * All values are strings, since API Gateway writes absent ones as a bare `-`.
 */
export const accessLogFields = {
  // The only request id that a client cannot choose. API Gateway escapes no value here.
  requestId: AccessLogField.contextExtendedRequestId(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  path: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  errorType: AccessLogField.contextErrorResponseType(),
  responseLatencyMs: AccessLogField.contextResponseLatency(),
} satisfies Record<(typeof accessFieldNames)[number], string>;

const accessLogFormat = AccessLogFormat.custom(JSON.stringify(accessLogFields));
