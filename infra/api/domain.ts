import {
  type CfnDomainName,
  type DomainName,
  EndpointType,
  IpAddressType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { StageConfig } from '../../config/schema.ts';
import { apiStage } from '../../lambdas/api/version.ts';
import { tls } from './tls.ts';

/** Puts the API under a name of the operator's, whose DNS record has to point to `domainNameAliasDomainName`. */
export const addDomain = (api: RestApi, { name, certificateArn }: NonNullable<StageConfig['domain']>): DomainName => {
  const domain = api.addDomainName('Domain', {
    ...tls,
    domainName: name,
    certificate: Certificate.fromCertificateArn(api, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    basePath: apiStage,
  });
  // A domain answers on IPv4 alone unless told otherwise, whatever the API behind it does.
  (domain.node.defaultChild as CfnDomainName).addPropertyOverride(
    'EndpointConfiguration.IpAddressType',
    IpAddressType.DUAL_STACK,
  );
  return domain;
};
