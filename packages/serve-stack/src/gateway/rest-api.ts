import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { PolicyDocument } from '../iam/iam-policy.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { rootResourceId } from '../template/resource-attributes.ts';
import { readResources } from '../template/resources.ts';
import { resourcesOf, type Stack } from '../template/template.ts';
import { type Integration, readMethods } from './api-methods.ts';
import { compileTemplate } from './context-variables.ts';
import type { ApiRequest, Exchange } from './exchange.ts';
import { compileGatewayResponses, type GatewayResponseProperties } from './gateway-responses.ts';
import { compileResourcePolicy } from './resource-policy.ts';
import { createRouter, type Router } from './router.ts';
import { createStageThrottle, type MethodSetting, type StageThrottle } from './stage-throttle.ts';

/** The template's API, ready to be asked. */
export type RestApi = {
  readonly name: string;
  readonly accountId: string;
  readonly stageName: string;
  /** Whether CloudWatch gets metrics of each method, beside those of the stage. */
  readonly hasMethodMetrics: boolean;
  readonly accessLogGroup: string | undefined;
  /** The policy of the template. */
  readonly policy: PolicyDocument | undefined;
  readonly checkPolicy: (request: ApiRequest) => void;
  readonly route: Router<Integration>;
  readonly throttle: StageThrottle;
  readonly gatewayResponse: ReturnType<typeof compileGatewayResponses>;
  /** Gives an empty line where the stage has no access log. */
  readonly accessLogLine: (exchange: Exchange) => string;
};

type ApiProperties = {
  readonly EndpointConfiguration?: { readonly Types?: readonly string[] };
  readonly Name?: string;
  readonly Policy?: PolicyDocument;
};

/** Most of them say where and under which TLS policy the API is reached, which on this machine follows from the port. */
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

export const compileRestApi = (stack: Stack, resolve: Resolve): RestApi => {
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
