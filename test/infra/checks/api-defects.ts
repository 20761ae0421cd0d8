import { first } from './broken-template.ts';
import type { Defect } from './schema-defects.ts';

/** Lists defects in what API Gateway, Lambda and CloudFormation itself are told, by the check that finds them. */
export const apiDefects: Readonly<Record<string, readonly Defect[]>> = {
  'service-values': [
    {
      name: 'a TLS policy that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::DomainName');
        properties.SecurityPolicy = 'SecurityPolicy_TLS13_1_4';
        return logicalId;
      },
      said: 'has the SecurityPolicy "SecurityPolicy_TLS13_1_4", which AWS does not know; write one of ',
    },
    {
      name: 'an endpoint access mode that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        properties.EndpointAccessMode = 'STRICKT';
        return logicalId;
      },
      said: 'has the EndpointAccessMode "STRICKT", which AWS does not know; write one of BASIC, STRICT.',
    },
    {
      name: 'an IP address type that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        properties.EndpointConfiguration.IpAddressType = 'ipv6';
        return logicalId;
      },
      said: 'has the EndpointConfiguration.IpAddressType "ipv6", which AWS does not know; write one of dualstack, ipv4.',
    },
    {
      name: 'an endpoint type that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::DomainName');
        properties.EndpointConfiguration.Types = ['REGIONALE'];
        return logicalId;
      },
      said: 'has the EndpointConfiguration.Types "REGIONALE", which AWS does not know; write one of EDGE, PRIVATE, REGIONAL.',
    },
    {
      name: 'a gateway response type that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::GatewayResponse');
        properties.ResponseType = 'ACCESS_REFUSED';
        return logicalId;
      },
      said: 'has the ResponseType "ACCESS_REFUSED", which AWS does not know; write one of ACCESS_DENIED, ',
    },
    {
      name: 'a runtime that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Lambda::Function');
        properties.Runtime = 'nodejs25.x';
        return logicalId;
      },
      said: 'has the Runtime "nodejs25.x", which AWS does not know; write one of ',
    },
    {
      name: 'an authorization that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::Method');
        properties.AuthorizationType = 'NO';
        return logicalId;
      },
      said: 'has the AuthorizationType "NO", which AWS does not know; write one of AWS_IAM, ',
    },
    {
      name: 'a subscription by a protocol that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SNS::Subscription');
        properties.Protocol = 'mail';
        return logicalId;
      },
      said: 'has the Protocol "mail", which AWS does not know; write one of application, email, ',
    },
  ],
  'access-modes': [
    {
      name: 'an enhanced TLS policy without an access mode',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        delete properties.EndpointAccessMode;
        return logicalId;
      },
      said: 'without an EndpointAccessMode; write STRICT, or BASIC while traffic is checked.',
    },
    {
      name: 'an access mode beside an old TLS policy',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::DomainName');
        properties.SecurityPolicy = 'TLS_1_2';
        return logicalId;
      },
      said: 'has an EndpointAccessMode beside the SecurityPolicy TLS_1_2; choose a policy that begins with SecurityPolicy_.',
    },
  ],
  'deployment-order': [
    {
      name: 'a deployment that does not wait for a method',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        const method = first(template, 'AWS::ApiGateway::Method').logicalId;
        resource.DependsOn = resource.DependsOn?.filter((id) => id !== method) ?? [];
        return logicalId;
      },
      said: 'may be made before Apiapikeys',
    },
    {
      name: 'a deployment that waits for nothing',
      break: (template) => {
        const { logicalId, resource } = first(template, 'AWS::ApiGateway::Deployment');
        delete resource.DependsOn;
        return logicalId;
      },
      said: 'add these to DependsOn.',
    },
  ],
  'template-size': [
    {
      name: 'a template of more than 1 MB',
      break: (template) => {
        const { properties } = first(template, 'AWS::Lambda::Function');
        properties.Environment = { Variables: { LARGE: 'x'.repeat(1_000_000) } };
        return 'The template';
      },
      said: 'bytes, and CloudFormation takes 1000000; move a part of it into a stack of its own.',
    },
  ],
  'fixed-names': [
    {
      name: 'a table with a fixed name, whose key can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::DynamoDB::GlobalTable');
        properties.TableName = 'ApiKeys';
        return logicalId;
      },
      said: 'has the fixed TableName ApiKeys, under which it can never be replaced, as a change of KeySchema or',
    },
    {
      name: 'an archive with a fixed name, whose bus can never change',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Events::Archive');
        properties.ArchiveName = { 'Fn::Sub': `\${AWS::StackName}-key-notices` };
        return logicalId;
      },
      said: 'has the fixed ArchiveName AWS::StackName-key-notices, under which it can never be replaced, as a change of SourceArn requires; leave',
    },
  ],
};
