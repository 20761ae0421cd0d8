import {
  EndpointAccessMode,
  EndpointType,
  GatewayResponseType,
  IpAddressType,
  SecurityPolicy,
} from '@aws-sdk/client-api-gateway';
import { Runtime } from '@aws-sdk/client-lambda';
import { type Check, listOf, resourcesOf } from './check.ts';

/** Lists values of properties by their paths. */
type Known = Readonly<Record<string, readonly string[]>>;

const endpoint: Known = {
  SecurityPolicy: Object.values(SecurityPolicy),
  EndpointAccessMode: Object.values(EndpointAccessMode),
  'EndpointConfiguration.IpAddressType': Object.values(IpAddressType),
  'EndpointConfiguration.Types': Object.values(EndpointType),
};

/** Lists what a service takes where the schema of the resource takes any text, from the SDK if it knows. */
const knownByType: Readonly<Record<string, Known>> = {
  'AWS::ApiGateway::RestApi': endpoint,
  'AWS::ApiGateway::DomainName': endpoint,
  'AWS::ApiGateway::GatewayResponse': { ResponseType: Object.values(GatewayResponseType) },
  'AWS::ApiGateway::Method': { AuthorizationType: ['AWS_IAM', 'COGNITO_USER_POOLS', 'CUSTOM', 'NONE'] },
  'AWS::Lambda::Function': { Runtime: Object.values(Runtime) },
  'AWS::SNS::Subscription': {
    Protocol: ['application', 'email', 'email-json', 'firehose', 'http', 'https', 'lambda', 'sms', 'sqs'],
  },
};

/** Finds values that the service itself would refuse. */
export const checkServiceValues: Check = (template) =>
  resourcesOf(template, ...Object.keys(knownByType)).flatMap(({ logicalId, type, properties }) =>
    Object.entries(knownByType[type] ?? {}).flatMap(([path, known]) =>
      listOf(valueAt(properties, path))
        .filter((value) => typeof value === 'string' && !known.includes(value))
        .map((value) => ({
          logicalId,
          sentence: `has the ${path} "${value}", which AWS does not know; write one of ${known.join(', ')}.`,
        })),
    ),
  );

const valueAt = (properties: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)?.[name], properties);
