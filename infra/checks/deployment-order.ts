import { type Check, listOf, resourcesOf } from './check.ts';

/** Lists what a deployment freezes: it holds what is there when it is made, and nothing that comes later. */
const frozen = ['AWS::ApiGateway::Method', 'AWS::ApiGateway::GatewayResponse'];

/** Finds deployments of an API that may be made before the methods and responses that they are to hold. */
export const checkDeploymentOrder: Check = (template) =>
  resourcesOf(template, 'AWS::ApiGateway::Deployment').flatMap(({ logicalId, properties }) => {
    const awaited = listOf(template.Resources[logicalId]?.DependsOn);
    const missed = resourcesOf(template, ...frozen)
      .filter((resource) => resource.properties.RestApiId?.Ref === properties.RestApiId?.Ref)
      .filter((resource) => !awaited.includes(resource.logicalId))
      .map((resource) => resource.logicalId);
    if (missed.length === 0) return [];
    return [{ logicalId, sentence: `may be made before ${missed.join(', ')}; add these to DependsOn.` }];
  });
