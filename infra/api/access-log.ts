import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/**
 * One JSON line per request, those included that never reach a function. Nothing in it can be secret: no header, no
 * query, and of the path only its template. Each byte is paid, so the time is left out, which CloudWatch keeps of each
 * line. All values are strings, since absent ones are written as a bare `-`.
 */
export const accessLogFields = {
  // The only one that a client cannot choose; no value here is escaped.
  requestId: AccessLogField.contextExtendedRequestId(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  httpMethod: AccessLogField.contextHttpMethod(),
  resourcePath: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  errorResponseType: AccessLogField.contextErrorResponseType(),
  responseLengthBytes: AccessLogField.contextResponseLength(),
  responseLatencyMs: AccessLogField.contextResponseLatency(),
  integrationStatus: AccessLogField.contextIntegrationStatus(),
  // They tell which partners an older TLS would lock out, before it is switched off.
  tlsVersion: '$context.tlsVersion',
  cipherSuite: '$context.cipherSuite',
};

export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(accessLogFields));
