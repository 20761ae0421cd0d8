import {
  EndpointAccessMode,
  EndpointType,
  GatewayResponseType,
  IpAddressType,
  SecurityPolicy,
} from '@aws-sdk/client-api-gateway';
import { Runtime } from '@aws-sdk/client-lambda';
import { type Check, listOf, resourcesOf } from './check.ts';

/** What a service takes for a property whose schema says no more than that it is a text. */
const endpoint = {
  SecurityPolicy,
  EndpointAccessMode,
  'EndpointConfiguration.IpAddressType': IpAddressType,
  'EndpointConfiguration.Types': EndpointType,
};
const values: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>> | readonly string[]>>>> =
  {
    'AWS::ApiGateway::RestApi': endpoint,
    'AWS::ApiGateway::DomainName': endpoint,
    'AWS::ApiGateway::GatewayResponse': { ResponseType: GatewayResponseType },
    'AWS::ApiGateway::Method': { AuthorizationType: ['AWS_IAM', 'COGNITO_USER_POOLS', 'CUSTOM', 'NONE'] },
    'AWS::Lambda::Function': { Runtime },
    'AWS::SNS::Subscription': {
      Protocol: ['application', 'email', 'email-json', 'firehose', 'http', 'https', 'lambda', 'sms', 'sqs'],
    },
  };

/** Finds values that the service itself would refuse. */
export const checkServiceValues: Check = (template) =>
  resourcesOf(template, ...Object.keys(values)).flatMap(({ logicalId, type, properties }) =>
    Object.entries(values[type] ?? {}).flatMap(([path, known]) => {
      const written = path
        .split('.')
        .reduce<unknown>((value, name) => (value as typeof properties)?.[name], properties);
      return listOf(written)
        .filter((value) => typeof value === 'string' && !Object.values(known).includes(value))
        .map((value) => ({
          logicalId,
          sentence: `has the ${path} "${value}", which AWS does not know; write one of ${Object.values(known).join(', ')}.`,
        }));
    }),
  );
