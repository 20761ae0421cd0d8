import { type Check, resourcesOf } from './check.ts';

/** Tells the policies that API Gateway takes together with an endpoint access mode only. */
const isEnhanced = (policy: string) => policy.startsWith('SecurityPolicy_');

/** Finds TLS policies that lack the endpoint access mode that they need, and modes without such a policy. */
export const checkAccessModes: Check = (template) =>
  resourcesOf(template, 'AWS::ApiGateway::RestApi', 'AWS::ApiGateway::DomainName').flatMap(
    ({ logicalId, properties: { SecurityPolicy = 'TLS_1_0', EndpointAccessMode } }) => {
      if (isEnhanced(SecurityPolicy) === (EndpointAccessMode !== undefined)) return [];
      const sentence = isEnhanced(SecurityPolicy)
        ? `has the SecurityPolicy ${SecurityPolicy} without an EndpointAccessMode; write STRICT, or BASIC while traffic is checked.`
        : `has an EndpointAccessMode beside the SecurityPolicy ${SecurityPolicy}; choose a policy that begins with SecurityPolicy_.`;
      return [{ logicalId, sentence }];
    },
  );
